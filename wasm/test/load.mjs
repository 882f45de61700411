// Loads the module in node: it was linked for the web, so it is given its bytes. PUMICE_WASM_DIR names another folder.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const folder = resolve(process.env.PUMICE_WASM_DIR ?? resolve(import.meta.dirname, '../../build/wasm'));

export async function loadPumice() {
  const { default: createPumice } = await import(pathToFileURL(resolve(folder, 'pumice.mjs')).href);
  return createPumice({ wasmBinary: readFileSync(resolve(folder, 'pumice.wasm')) });
}

/** Calls an operation with a value and gives its answer as a value. */
export function call(engine, operation, input) {
  return JSON.parse(engine[operation](JSON.stringify(input)));
}
