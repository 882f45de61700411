import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { contentSecurityPolicy } from './plugins/csp.ts';

// The folder with pumice.mjs and pumice.wasm, as the `wasm` preset builds them.
const wasmDir = resolve(import.meta.dirname, process.env['PUMICE_WASM_DIR'] ?? '../build/wasm');
const repository = resolve(import.meta.dirname, '..');

export default defineConfig(({ command }) => {
  if (command === 'build' && !process.env['VITEST'] && !existsSync(resolve(wasmDir, 'pumice.wasm'))) {
    throw new Error(`no pumice.wasm in ${wasmDir}: build the wasm preset first, or set PUMICE_WASM_DIR`);
  }
  return {
    // Relative, so that the same files work under any path of any static host.
    base: './',
    plugins: [svelte(), contentSecurityPolicy()],
    resolve: {
      alias: { 'pumice-wasm': wasmDir, '#wasm': resolve(repository, 'wasm/engine.d.ts') },
      // Tests mount components; without this condition they would get Svelte's server build.
      ...(process.env['VITEST'] ? { conditions: ['browser'] } : {}),
    },
    server: { fs: { allow: [repository, wasmDir] } },
    worker: { format: 'es' },
    build: {
      target: 'es2022',
      outDir: 'dist',
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: false,
    },
    test: {
      include: ['test/**/*.test.ts'],
      environment: 'node',
      env: { PUMICE_WASM_DIR: wasmDir },
    },
  };
});
