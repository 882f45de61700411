// load.mjs [REVIEWS [CONNECTIONS]]: reviews over kept-alive TLS connections; prints throughput and latency, and fails on
// any answer that is not what it should be. The webhook is started here, and ended.
import { Agent } from 'node:https';
import { performance } from 'node:perf_hooks';
import { ask, certificates, kubeJob, reviewOf, start, volcanoJob } from './lib.mjs';

const reviews = Number(process.argv[2] ?? 10_000);
const connections = Number(process.argv[3] ?? 64);

const server = await start(certificates('load'));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const good = volcanoJob();
const bad = volcanoJob({ minAvailable: 9 });
const kube = kubeJob();
const cases = [['/jobs/validate', good, true], ['/jobs/validate', bad, false], ['/jobs/mutate', good, true], ['/validate', kube, true]];

const times = [];
const errors = [];
let next = 0;
async function worker() {
  while (next < reviews) {
    const [path, object, allowed] = cases[next++ % cases.length];
    const request = reviewOf(object);
    const started = performance.now();
    try {
      const answer = await ask(server, path, { body: JSON.stringify(request), agent });
      const { response } = JSON.parse(answer.text);
      if (answer.status !== 200 || response.uid !== request.request.uid || response.allowed !== allowed) {
        errors.push(`${answer.status} ${answer.text.slice(0, 200)}`);
      }
    } catch (error) {
      errors.push(String(error));
    }
    times.push(performance.now() - started);
  }
}
const started = performance.now();
await Promise.all(Array.from({ length: connections }, worker));
const seconds = (performance.now() - started) / 1000;
const { text } = await ask(server, '/metrics', { method: 'GET', agent });
agent.destroy();
const exit = await server.stop();

times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(2);
const sum = Number(/pumice_webhook_review_seconds_sum\{path="\/jobs\/validate"\} (\S+)/.exec(text)?.[1]);
const count = Number(/pumice_webhook_review_seconds_count\{path="\/jobs\/validate"\} (\S+)/.exec(text)?.[1]);
console.log(`${reviews} reviews over ${connections} connections in ${seconds.toFixed(2)} s: ${(reviews / seconds).toFixed(0)}/s, ${errors.length} errors`);
console.log(`seen by the client, ms: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, max ${at(1)}`);
console.log(`inside the webhook, µs: mean ${((sum / count) * 1e6).toFixed(0)} (/jobs/validate)`);
for (const error of errors.slice(0, 5)) console.log(`error: ${error}`);
if (errors.length > 0 || exit !== 0 || server.broken() !== '') {
  console.log(server.broken());
  process.exitCode = 1;
}
