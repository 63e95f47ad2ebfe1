/**
 * Returns the environment of a process that a test starts: its programs, its folder for temporary files, the code that other processes of the
 * tests have compiled, and a home folder; nothing else of this process.
 */
export function environmentOf(home = process.env['HOME']): Readonly<Record<string, string>> {
  const { PATH = '', TMPDIR, NODE_COMPILE_CACHE } = process.env
  const all = { PATH, HOME: home, TMPDIR, NODE_COMPILE_CACHE }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
