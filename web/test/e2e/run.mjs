// End to end in a real Chromium: `npm run e2e [words of a name…]`. Needs `npm run build` first.
import { launch, pumiceBinary, serve } from './browser.mjs';
import { checks } from './checks.mjs';

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const server = await serve();
const { browser, close } = await launch();
console.log(`page from ${server.from}, Chromium ${browser.version()}${pumiceBinary() ? '' : ', no native program'}`);

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const { name, run, needsBinary } of checks) {
  if (!words.every((word) => name.toLowerCase().includes(word))) continue;
  if (needsBinary && !pumiceBinary()) {
    ++counts.skipped;
    console.log(`skip ${name} (no native program)`);
    continue;
  }
  const start = performance.now();
  try {
    const note = await run({ browser, url: server.url, binary: pumiceBinary() });
    ++counts.passed;
    console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms)${note ? `\n     ${note}` : ''}`);
  } catch (error) {
    ++counts.failed;
    console.log(`FAIL ${name}\n${String(error?.stack ?? error).replace(/^/gm, '     ')}`);
  }
}

await close();
server.close();
console.log(`e2e: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);
