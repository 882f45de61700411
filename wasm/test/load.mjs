// Loads the modules in node: they were linked for the web, so they are given their bytes. PUMICE_WASM_DIR names another folder.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const folder = resolve(process.env.PUMICE_WASM_DIR ?? resolve(import.meta.dirname, '../../build/wasm'));

async function load(name) {
  const { default: create } = await import(pathToFileURL(resolve(folder, `${name}.mjs`)).href);
  return create({ wasmBinary: readFileSync(resolve(folder, `${name}.wasm`)) });
}

export const loadPumice = () => load('pumice');
export const loadPumiceEval = () => load('pumice-eval');

/** Calls an operation with a value and gives its answer as a value. */
export function call(engine, operation, input) {
  return JSON.parse(engine[operation](JSON.stringify(input)));
}
