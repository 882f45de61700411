const modules = import.meta.glob<string>('../../policies/samples/*.yaml', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Manifests by file name. */
const texts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(modules).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1), text]),
);
export default texts;
