import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { COMMON_KEYS } from '../node-keys.ts'
import { Unsayable } from './script-write.ts'

/** Refuses parameters that a node of XML does not have, unless they have a value that changes nothing. */
export function onlyParams(
  params: JsonObject,
  known: readonly string[],
  isDefault: (name: string, value: Json) => boolean = () => false,
): void {
  for (const [name, value] of Object.entries(params)) {
    if (!COMMON_KEYS.includes(name) && !known.includes(name) && !isDefault(name, value)) throw new Unsayable(`there is no port for ${name}`)
  }
}
