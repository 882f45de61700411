// What the page must do, as a person would do it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kManifest, Pumice } from './page.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The story that all else is measured by: a pod is evicted, the whole job starts again. */
async function evict(pumice) {
  await pumice.paste(kManifest);
  await pumice.restart();
  await pumice.page.keyboard.press('Escape');
  await pumice.page.locator('#why').focus();
  await pumice.stepUntil('Running');
  await pumice.fire(/^Pod web-1/, 'is evicted');
}

async function violations(page, what, rules = {}) {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(
    (chosen) =>
      globalThis.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        rules: chosen,
      }),
    rules,
  );
  return found.map(
    ({ id, help, nodes }) => `${what}: ${id} (${help}): ${nodes.map(({ target }) => target).join(' | ')}`,
  );
}

const kTabs = ['YAML', 'Events', 'State', 'Time line', 'Why'];
const tab = (page, name) => page.getByRole('navigation').getByRole('button', { name, exact: true });

export const checks = [
  {
    name: 'first visit: an example runs, nothing is asked of third parties, within the budget of requests',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      await pumice.ready();
      await pumice.page.waitForTimeout(500);
      assert.equal(await pumice.phase(), 'Pending');
      const example = pumice.page.getByRole('complementary', { name: 'Example' });
      assert.match(await example.innerText(), /\?[\s\S]*Press/);
      const own = pumice.requests.filter(
        (each) => each.startsWith(url) || each.startsWith('data:') || each.startsWith('blob:'),
      );
      assert.deepEqual(
        pumice.requests.filter((each) => !own.includes(each)),
        [],
        'third-party requests',
      );
      const loaded = own.filter((each) => each.startsWith(url));
      assert.ok(loaded.length <= 12, `${loaded.length} requests:\n${loaded.join('\n')}`);
      assert.deepEqual(pumice.problems, [], 'messages of the browser');
      await pumice.close();
      return `${loaded.length} requests`;
    },
  },
  {
    name: 'story: evict a pod, read why the job restarts, see it run again, go back',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await evict(pumice);
      const seen = await pumice.stepUntil('Restarting');
      assert.equal(seen.at(-1), 'Restarting');

      const winner = page.locator('#why tr.matched');
      assert.match(await winner.innerText(), /Decided[\s\S]*PodEvicted\s*→\s*RestartJob[\s\S]*spec\.policies\[0\]/);
      assert.match(await pumice.sentence(), /PodEvicted|evicted|gone/);
      assert.match(await pumice.sentence(), /RestartJob|Restarting/);
      const marked = await page.evaluate(() =>
        [...document.querySelector('#editor').shadowRoot.querySelectorAll('.cm-rule')].map((line) =>
          line.textContent.trim(),
        ),
      );
      assert.deepEqual(marked, ['- event: PodEvicted', 'action: RestartJob']);
      assert.equal(await pumice.fact('Retries'), '1 of 5');
      const restarting = await pumice.position();

      assert.ok((await pumice.stepUntil('Pending')).includes('Pending'));
      assert.equal((await pumice.stepUntil('Running')).at(-1), 'Running');
      assert.equal(await pumice.fact('Retries'), '1 of 5');
      const end = await pumice.position();

      const index = Number(restarting.split(' ')[0]);
      await pumice.press('ArrowLeft', Number(end.split(' ')[0]) - index);
      assert.equal(await pumice.phase(), 'Restarting');
      assert.match(await winner.innerText(), /Decided/);
      await pumice.press('End');
      assert.equal(await pumice.position(), end);
      assert.deepEqual(pumice.problems, []);
      await pumice.close();
    },
  },
  {
    name: 'all records: asked for when they are opened, each unfolds, and its rules can be shown',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await evict(pumice);
      await pumice.stepUntil('Restarting');
      const step = await page.evaluate(() => globalThis.pumice.app.step);
      await page.locator('details.all > summary').click();
      const rows = page.locator('details.all li');
      await rows.nth(step.recordsTotal - 1).waitFor();
      assert.equal(await rows.count(), step.recordsTotal);
      assert.equal(await page.locator('details.all li.selected').count(), 1);
      await rows.nth(step.fired).locator('summary').click();
      const whole = rows.nth(step.fired).locator('pre');
      await page.waitForFunction(
        (text) => document.querySelector('details.all li.selected pre').innerText.includes(text),
        'RestartJob',
      );
      assert.match(await whole.innerText(), /decision:\n/);

      const kinds = await rows.locator('.kind').allInnerTexts();
      const other = kinds.findIndex((kind, index) => kind === 'did' && index !== step.fired);
      await rows.nth(other).locator('summary').click();
      await rows.nth(other).getByRole('button', { name: 'Show its rules above' }).click();
      await page.waitForFunction(
        (index) => [...document.querySelectorAll('details.all li')][index].classList.contains('selected'),
        other,
      );
      await page.locator('#why h3', { hasText: 'Rules considered' }).waitFor();
      await pumice.press('ArrowLeft');
      await pumice.press('ArrowRight');
      assert.equal(await rows.count(), step.recordsTotal, 'open again at the next step');
      assert.deepEqual(pumice.problems, []);
      await pumice.close();
    },
  },
  {
    name: 'the explanation is the one of the command line, byte for byte, at every level',
    needsBinary: true,
    async run({ browser, url, binary }) {
      const pumice = await Pumice.open(browser, url);
      await evict(pumice);
      await pumice.press('End');
      const { events, file } = await pumice.page.evaluate(() => {
        const { trace } = globalThis.pumice.app.state;
        return { events: trace.entries.map(({ event }) => event), file: trace.document.file };
      });
      const folder = mkdtempSync(join(tmpdir(), 'pumice-e2e-'));
      try {
        writeFileSync(join(folder, file), kManifest);
        writeFileSync(join(folder, 'events.json'), JSON.stringify(events));
        for (const level of ['short', 'fails', 'full']) {
          const native = execFileSync(
            binary,
            ['simulate', file, '--events', 'events.json', '--explain', level, '--color', 'never'],
            { cwd: folder, encoding: 'utf8' },
          );
          const page = await pumice.page.evaluate(async (explain) => {
            const { app, engine } = globalThis.pumice;
            let text = '';
            for (let step = 1; step <= app.steps.length; ++step) text += (await engine.seek(step, explain)).text;
            return text;
          }, level);
          assert.ok(native.includes(page.trimEnd()), `${level}: the program says\n${native}\nthe page says\n${page}`);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
      await pumice.close();
    },
  },
  {
    name: 'keyboard alone: from the editor and out of it, digits, rules, text, dialog',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await pumice.ready();
      await page.keyboard.press('e');
      await page.waitForFunction(() => document.activeElement?.id === 'editor');
      await page.keyboard.type('# typed\n');
      assert.match(await page.evaluate(() => globalThis.pumice.app.state.draft.text), /# typed/);
      await pumice.restart();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      assert.notEqual(
        await page.evaluate(() => document.activeElement?.id),
        'editor',
        'Escape, then Tab, leaves the editor',
      );
      await page.keyboard.press('d');
      await page.waitForFunction(() => document.activeElement?.id === 'diagram');
      await pumice.press('Shift+ArrowRight');
      assert.equal(await pumice.phase(), 'Running');
      const enabled = await page.evaluate(() =>
        globalThis.pumice.app.view.palette.flatMap(({ entries }) =>
          entries.filter(({ reason }) => !reason).map(({ line }) => line),
        ),
      );
      await pumice.press('2');
      const fired = await page.evaluate(() => globalThis.pumice.app.state.trace.entries.at(-1).event);
      const line = await page.evaluate((at) => globalThis.pumice.app.steps.at(at).input.line, -1);
      assert.ok(fired && line, `digit 2 fired ${enabled[1]}`);
      await page.keyboard.press('w');
      await page.waitForFunction(() => document.activeElement?.id === 'why');
      await page.keyboard.press('t');
      await page.waitForFunction(() => document.activeElement?.id === 'timeline');
      await pumice.press('Home');
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await page.getByRole('checkbox').press('Space');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.locator('#timeline').focus();
      await page.keyboard.press('?');
      await page.waitForTimeout(100);
      assert.equal(await page.getByRole('dialog').count(), 0, 'character keys are off');
      await pumice.press('ArrowRight');
      assert.deepEqual(pumice.problems, []);
      await pumice.close();
    },
  },
  {
    name: 'problems: marked in the text, listed with hint and place, jumped to; a failed start keeps the trace',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await pumice.paste(kManifest);
      await pumice.restart();
      const steps = await page.evaluate(() => globalThis.pumice.app.steps.length);
      await pumice.paste(
        kManifest
          .replace('- event: PodEvicted', '- event: PodEvicted # 设备 🌋')
          .replace('replicas: 4', 'replicas: four'),
      );
      const item = page.locator('.problems li.error').first();
      await item.waitFor();
      assert.match(await item.innerText(), /replicas/);
      const mark = page.locator('#editor .cm-lintRange-error').first();
      await mark.waitFor();
      assert.match(await mark.innerText(), /four/);
      await item.getByRole('button', { name: /line/ }).click();
      const line = await page.evaluate(() => {
        const { shadowRoot } = document.querySelector('#editor');
        return shadowRoot.querySelector('.cm-activeLine').textContent;
      });
      assert.match(line, /replicas: four/);
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.waitForFunction(() => globalThis.pumice.app.state.failure.length > 0);
      assert.equal(
        await page.evaluate(() => globalThis.pumice.app.steps.length),
        steps,
        'the old trace is still there',
      );
      assert.deepEqual(pumice.problems, []);
      await pumice.close();
    },
  },
  {
    name: 'firing in the past drops later steps and says so; they can be brought back',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await pumice.ready();
      await pumice.press('Shift+ArrowRight');
      const before = await page.evaluate(() => globalThis.pumice.app.steps.map(({ sentence }) => sentence));
      assert.ok(before.length >= 3);
      await page.locator('#why').focus();
      await pumice.press('Home');
      await pumice.fire(/^Command/, 'AbortJob');
      await page.getByText('dropped.').waitFor();
      await page.getByRole('button', { name: 'Bring back' }).click();
      await page.getByText('dropped.').waitFor({ state: 'detached' });
      const after = await page.evaluate(() => globalThis.pumice.app.steps.map(({ sentence }) => sentence));
      assert.deepEqual(after, before);
      await pumice.close();
    },
  },
  {
    name: 'an edit in mid-trace runs the same events again and names the first difference',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await evict(pumice);
      await pumice.stepUntil('Restarting');
      const before = await pumice.position();
      await pumice.paste(kManifest.replace('RestartJob', 'AbortJob'));
      await pumice.restart();
      const notice = await page.locator('.toast', { hasText: 'run again' }).innerText();
      assert.match(notice, /first different outcome is step \d+/);
      assert.equal((await pumice.position()).split(' ').at(-1), before.split(' ').at(-1));
      assert.notEqual(await pumice.phase(), 'Restarting');

      await pumice.paste(kManifest.replace('name: nightly', 'name: other'));
      await pumice.restart();
      await page.locator('.toast', { hasText: 'set aside' }).waitFor();
      assert.equal(await page.evaluate(() => globalThis.pumice.app.steps.length), 1);
      await pumice.close();
    },
  },
  {
    name: 'a trap of the engine is not noticed: the trace is run again in a new instance',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await evict(pumice);
      const before = await page.evaluate(() => globalThis.pumice.app.steps.map(({ sentence }) => sentence));
      await page.evaluate(() => {
        globalThis.seen = [];
        globalThis.timer = setInterval(() => globalThis.seen.push(globalThis.pumice.app.health), 1);
        return globalThis.pumice.engine.trapNext();
      });
      await pumice.press('ArrowRight');
      const seen = await page.evaluate(() => {
        clearInterval(globalThis.timer);
        return [...new Set(globalThis.seen)];
      });
      assert.ok(seen.includes('recovering'), `health was ${seen}`);
      assert.equal(await page.evaluate(() => globalThis.pumice.app.health), 'ready');
      const after = await page.evaluate(() => globalThis.pumice.app.steps.map(({ sentence }) => sentence));
      assert.deepEqual(after.slice(0, before.length), before);
      assert.equal(after.length, before.length + 1);
      await pumice.press('ArrowLeft', 2);
      assert.deepEqual(pumice.problems, []);
      await pumice.close();
    },
  },
  {
    name: 'what was there comes back after a reload; without storage the page works too',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await evict(pumice);
      const before = await pumice.position();
      await page.waitForTimeout(600);
      await page.reload();
      await page.locator('dl.facts').waitFor();
      await pumice.settled();
      assert.equal(await pumice.position(), before);
      assert.match(await page.evaluate(() => globalThis.pumice.app.state.draft.text), /nightly/);
      await pumice.close();

      const context = await browser.newContext();
      await context.addInitScript(() => {
        Object.defineProperty(globalThis, 'localStorage', {
          get() {
            throw new DOMException('blocked', 'SecurityError');
          },
        });
      });
      const blocked = await context.newPage();
      const problems = [];
      blocked.on('pageerror', (error) => problems.push(error.message));
      await blocked.goto(url);
      await blocked.locator('dl.facts').waitFor();
      await blocked.getByRole('radio', { name: 'Dark' }).check({ force: true });
      assert.deepEqual(problems, []);
      await context.close();
    },
  },
  {
    name: 'a dropped file is opened; every example of the list starts',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      await pumice.ready();
      await page.evaluate((text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], 'dropped.yaml', { type: 'application/yaml' }));
        const pane = document.querySelector('#editor').closest('section');
        pane.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }, kManifest);
      await page.waitForFunction(() => globalThis.pumice.app.state.trace.document.file === 'dropped.yaml');
      const names = await page
        .locator('.example option:not([disabled])')
        .evaluateAll((all) => all.map(({ value }) => value));
      for (const name of names) {
        const generation = await page.evaluate(() => globalThis.pumice.app.state.trace.generation);
        await page.locator('.example select').selectOption(name);
        await page.waitForFunction((old) => globalThis.pumice.app.state.trace.generation > old, generation);
        await pumice.settled();
        const findings = await page.evaluate(() => globalThis.pumice.app.state.failure);
        assert.deepEqual(findings, [], name);
      }
      assert.deepEqual(pumice.problems, []);
      await pumice.close();
      return `${names.length} examples`;
    },
  },
  ...['light', 'dark'].flatMap((colorScheme) =>
    [
      { width: 1440, height: 900 },
      { width: 360, height: 740 },
    ].map((viewport) => ({
      name: `axe finds nothing: ${colorScheme}, ${viewport.width} px`,
      async run({ browser, url }) {
        const pumice = await Pumice.open(browser, url, { colorScheme, viewport, reducedMotion: 'reduce' });
        const { page } = pumice;
        const found = await violations(page, 'at first');
        if (viewport.width >= 1000) {
          await evict(pumice);
          await pumice.stepUntil('Restarting');
          await page.locator('#why details.all > summary').click();
          found.push(...(await violations(page, 'restarting')));
          await page.getByRole('button', { name: 'As table' }).click();
          await page.getByRole('button', { name: 'As list' }).click();
          await page.getByRole('button', { name: 'Text', exact: true }).click();
          await page.waitForTimeout(100);
          found.push(...(await violations(page, 'tables and text')));
          await page.getByRole('button', { name: 'Keys' }).click();
          found.push(...(await violations(page, 'keys')));
          await page.keyboard.press('Escape');
          await pumice.paste('kind: [');
          await page.locator('.problems li.error').first().waitFor();
          found.push(...(await violations(page, 'problems')));
        } else {
          for (const name of kTabs) {
            await tab(page, name).click();
            await page.waitForTimeout(100);
            found.push(...(await violations(page, name)));
          }
        }
        assert.deepEqual(found, []);
        await pumice.close();
      },
    })),
  ),
  {
    name: 'phone, 360 px: the whole story by touch; targets of 44 px; nothing scrolls sideways but the time line, at 320 px too',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url, {
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
      });
      const { page } = pumice;
      const step = page.getByRole('button', { name: 'Step', exact: true });
      for (let count = 0; count < 10 && (await pumice.phase()) !== 'Running'; ++count)
        await pumice.moving('Step', () => step.tap());
      assert.equal(await pumice.phase(), 'Running');
      await tab(page, 'Events').tap();
      const row = page.getByRole('group', { name: /^Pod .*-0/ }).first();
      await pumice.moving('evict', () => row.getByRole('button', { name: 'is evicted', exact: true }).tap());
      for (let count = 0; count < 10 && (await pumice.phase()) !== 'Restarting'; ++count)
        await pumice.moving('Step', () => step.tap());
      await tab(page, 'Why').tap();
      assert.match(await page.locator('#why tr.matched').innerText(), /Decided/);
      await page.locator('#why tr.matched').getByRole('button', { name: /line/ }).tap();
      assert.ok(await page.locator('#editor').isVisible(), 'the line link opens the editor');
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 640 });
        for (const name of kTabs) {
          await tab(page, name).tap();
          await page.waitForTimeout(50);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${name} at ${width} px is ${wide} px too wide`);
          assert.ok(await step.isVisible(), 'the step button is always there');
          const small = await page.evaluate(() =>
            [...document.querySelectorAll('button, select, input:not([type=range], .visually-hidden), summary')]
              .filter((each) => each.checkVisibility() && each.getClientRects().length > 0)
              .map((each) => [each.getBoundingClientRect(), each.innerText || each.ariaLabel || each.tagName])
              .filter(([box]) => box.width > 0 && (box.height < 43.5 || box.width < 23.5))
              .map(([box, text]) => `${text} ${Math.round(box.width)} x ${Math.round(box.height)}`),
          );
          assert.deepEqual(small, [], `small targets in ${name}`);
        }
      }
      assert.deepEqual(pumice.problems, []);
      await pumice.close();
    },
  },
  {
    name: 'forced colours and both themes: chosen by hand, kept, and without a flash',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url, { colorScheme: 'light' });
      const { page } = pumice;
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(await paper(), 'rgb(250, 249, 247)');
      await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
      assert.equal(await paper(), 'rgb(22, 21, 20)');
      await page.addInitScript(() => {
        new MutationObserver((_, observer) => {
          if (!document.body) return;
          globalThis.firstPaper = getComputedStyle(document.documentElement).colorScheme;
          globalThis.firstTheme = document.documentElement.dataset.theme;
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      });
      await page.reload();
      assert.equal(await page.evaluate(() => globalThis.firstTheme), 'dark', 'set before there is a body to paint');
      await page.locator('dl.facts').waitFor();
      assert.equal(await paper(), 'rgb(22, 21, 20)');
      await page.emulateMedia({ forcedColors: 'active' });
      // The system chooses these colours, and axe reads them from the style sheet instead.
      const found = await violations(page, 'forced colours', { 'color-contrast': { enabled: false } });
      assert.deepEqual(found, []);
      await pumice.close();
    },
  },
  {
    name: 'latency: a step of a job with 100 pods',
    async run({ browser, url }) {
      const pumice = await Pumice.open(browser, url);
      const { page } = pumice;
      const manifest = kManifest
        .replace('replicas: 4', 'replicas: 100')
        .replace('minAvailable: 3', 'minAvailable: 100')
        .replace('maxRetry: 5', 'maxRetry: 1000');
      await pumice.paste(manifest);
      await pumice.restart();
      await page.keyboard.press('Escape');
      const result = await page.evaluate(async () => {
        const { app, engine } = globalThis.pumice;
        await engine.fire([{ until: 'Running' }], 1);
        // Small events, one pod each: what stepping by hand is made of. Then the largest there are: all pods at once.
        const small = [];
        const whole = [];
        const timed = async (list, event) => {
          const start = performance.now();
          const { runs } = await engine.fire([event], null);
          if (runs.length !== 1) throw new Error(`no answer to ${JSON.stringify(event)}`);
          list.push(performance.now() - start);
          return runs[0];
        };
        for (let pod = 0; pod < 100; ++pod) {
          await timed(small, { pod: `web-${pod}`, restarts: 1 });
          await timed(small, { pod: `web-${pod}`, ready: false });
          await timed(small, { pod: `web-${pod}`, ready: true });
        }
        for (let round = 0; round < 12; ++round) {
          await timed(whole, { pod: `web-${round}`, evicted: true });
          for (let count = 0; count < 12; ++count) {
            const [step] = await timed(whole, { advance: 'next' });
            if (step.changes.some(({ phase }) => phase.to === 'Running')) break;
          }
        }
        const quantiles = (list) => {
          const sorted = list.toSorted((a, b) => a - b);
          const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
          return { count: list.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) };
        };
        void app;
        return { small: quantiles(small), whole: quantiles(whole) };
      });
      const show = ({ count, p50, p99, max }) =>
        `${count} steps, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, max ${max.toFixed(2)} ms`;
      await pumice.close();
      return `one pod: ${show(result.small)}\n     all pods: ${show(result.whole)} (goal: 5 ms)`;
    },
  },
];
