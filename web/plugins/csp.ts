import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/**
 * Puts the content security policy into the built page as a `<meta>`, because plain static hosts set no headers. Inline
 * scripts (there is one: it sets the theme before the first paint) are allowed by their hash. The development server needs
 * inline styles and its own socket, so it gets no policy.
 */
export function contentSecurityPolicy(): Plugin {
  return {
    name: 'pumice-csp',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        if (/<style|\sstyle=/.test(html)) throw new Error('index.html has inline styles, which the policy forbids');
        const hashes = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
          ([, code]) => `'sha256-${createHash('sha256').update(code!).digest('base64')}'`,
        );
        const policy = [
          "default-src 'none'",
          `script-src 'self' 'wasm-unsafe-eval' ${hashes.join(' ')}`.trim(),
          "style-src 'self'",
          "img-src 'self' data:",
          "worker-src 'self'",
          "manifest-src 'self'",
          "connect-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
        ].join('; ');
        return {
          html,
          tags: [
            {
              tag: 'meta',
              attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
              injectTo: 'head-prepend',
            },
          ],
        };
      },
    },
  };
}
