import { mount } from 'svelte';
import './styles.css';
import Page from './App.svelte';
import { App } from './controller.svelte';
import { browserWorker, Engine } from './engine';
import { firstSample, loadSample } from './samples';

const app = new App((onHealth) => new Engine({ makeWorker: browserWorker, onHealth }));
mount(Page, { target: document.getElementById('app')!, props: { app } });
void app.boot(() => loadSample(firstSample));

// `?debug` gives tests a hand on the engine: a trap on demand, and the latency of a step without the page.
if (new URLSearchParams(location.search).has('debug'))
  Object.assign(globalThis, { pumice: { app, engine: app.engine } });
