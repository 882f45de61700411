// What a person does on the page, in words of the tests.

export const kManifest = `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: nightly
spec:
  minAvailable: 3
  schedulerName: volcano
  queue: default
  maxRetry: 5
  policies:
    - event: PodEvicted
      action: RestartJob
  tasks:
    - name: web
      replicas: 4
      template:
        spec:
          restartPolicy: OnFailure
          containers:
            - name: web
              image: example.com/web
`;

export class Pumice {
  constructor(page) {
    this.page = page;
  }

  /** Opens the page with nothing kept from before, and waits until the first job is there. */
  static async open(browser, url, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    // Machines that run tests are often busy with other things.
    page.setDefaultTimeout(60_000);
    const problems = [];
    const requests = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${url}?debug`);
    const pumice = new Pumice(page);
    Object.assign(pumice, { context, problems, requests });
    await page.locator('dl.facts').waitFor({ state: 'attached' });
    return pumice;
  }

  async close() {
    await this.context.close();
  }

  async ready() {
    await this.page.locator('.cm-content').waitFor({ state: 'attached' });
  }

  /** Puts a text into the editor as a person does: focus, select all, paste. */
  async paste(text) {
    await this.ready();
    await this.page.locator('.cm-content').click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.evaluate((content) => {
      const editor = document.querySelector('#editor').shadowRoot.querySelector('.cm-content');
      const data = new DataTransfer();
      data.setData('text/plain', content);
      editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  }

  async restart() {
    const generation = () => this.page.evaluate(() => globalThis.pumice.app.state.trace?.generation ?? 0);
    const before = await generation();
    await this.page.keyboard.press('ControlOrMeta+Enter');
    await this.page.waitForFunction((old) => globalThis.pumice.app.state.trace?.generation > old, before);
    await this.settled();
  }

  /** Waits until what is shown is what was asked for. */
  async settled() {
    await this.page.waitForFunction(() => {
      const { app } = globalThis.pumice;
      return app.shown?.step === app.state.cursor && app.shown.before !== null && app.busy === null;
    });
  }

  /** [cursor, steps] */
  position() {
    return this.page.evaluate(() =>
      [globalThis.pumice.app.state.cursor, globalThis.pumice.app.steps.length].join(' of '),
    );
  }

  /** Does something and waits until the trace or the cursor has moved. */
  async moving(name, action) {
    const before = await this.position();
    await action();
    const deadline = Date.now() + 30_000;
    while ((await this.position()) === before) {
      if (Date.now() > deadline) throw new Error(`${name} did nothing at step ${before}`);
      await this.page.waitForTimeout(5);
    }
    await this.settled();
  }

  async press(key, times = 1) {
    for (let count = 0; count < times; ++count) await this.moving(key, () => this.page.keyboard.press(key));
  }

  async fire(row, button) {
    const group = this.page.getByRole('group', { name: row });
    await this.moving(`${row}: ${button}`, () => group.getByRole('button', { name: button, exact: true }).click());
  }

  /** A value of the status line: `Phase`, `Retries`, `PodGroup` … */
  fact(name) {
    return this.page.evaluate((wanted) => {
      for (const each of document.querySelectorAll('dl.facts > div')) {
        if (each.querySelector('dt').textContent.trim() !== wanted) continue;
        const own = [...each.querySelector('dd').childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
        return own.map((node) => node.textContent.trim()).join('');
      }
      throw new Error(`no ${wanted} in the status line`);
    }, name);
  }
  phase() {
    return this.fact('Phase');
  }

  /** Steps until the job has the phase; gives the phases on the way. */
  async stepUntil(phase, key = 'ArrowRight', most = 30) {
    const seen = [await this.phase()];
    for (let count = 0; count < most && seen.at(-1) !== phase; ++count) {
      await this.press(key);
      seen.push(await this.phase());
    }
    return seen;
  }

  sentence() {
    return this.page.locator('#why .sentence').innerText();
  }
}
