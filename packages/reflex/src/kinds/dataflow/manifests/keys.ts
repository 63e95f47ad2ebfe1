import type { Parameters } from '../model/primitive.ts'

/** Returns the key of the context for a name of a manifest: `$name` is the value of the String parameter `name`; undefined if it has none. */
export function resolveKey(name: string, parameters: Parameters): string | undefined {
  if (!name.startsWith('$')) return name
  const parameter = name.slice(1)
  const key = Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined
  return typeof key === 'string' ? key : undefined
}
