/** Where the files of this package lie, as stacks name them. */
const OURS = import.meta.url.replace(/^file:\/\//, '').replace(/^(.*\/(?:src|dist)\/).*$/s, '$1')

/**
 * Lets the stack of an error begin in the code of whoever called, where that is on it: how a fault came about inside Reflex
 * helps nobody to find the call that it refuses. Worked out when somebody reads it.
 */
export function startAtCaller(error: Error): void {
  const written = Object.getOwnPropertyDescriptor(error, 'stack')
  if (written?.get === undefined) return
  Object.defineProperty(error, 'stack', {
    configurable: true,
    get: () => withoutOurs(String(written.get?.call(error))),
    set(value: unknown) {
      Object.defineProperty(error, 'stack', { configurable: true, writable: true, value })
    },
  })
}

function withoutOurs(stack: string): string {
  const lines = stack.split('\n')
  const first = lines.findIndex((line) => /^\s+at /.test(line))
  const theirs = lines.findIndex((line, i) => i >= first && ![OURS, 'node:internal', '(<anonymous>)'].some((own) => line.includes(own)))
  return first < 0 || theirs < 0 ? stack : [...lines.slice(0, first), ...lines.slice(theirs)].join('\n')
}
