import { quote } from '../../../text/index.ts'

/** The characters that separate names in edges, selectors, paths and derived keys, and those that nobody sees. */
const FORBIDDEN = /[.@$/\\:\s\p{Cc}\p{Cs}]|->/u

/** Returns what is wrong with the name of a cluster, a node, an input, an output or a parameter; undefined for a name that can be used. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name === '__proto__') return `is ${quote(name)}`
  const found = FORBIDDEN.exec(name)?.[0]
  return found === undefined ? undefined : `${quote(name)} contains ${quote(found)}`
}

/** Returns what is wrong with the name of a port in a reference. */
export function portProblem(name: string): string | undefined {
  if (name === '') return 'is empty'
  const found = /[.\s]/.exec(name)?.[0]
  return found === undefined ? undefined : `${quote(name)} contains ${quote(found)}`
}
