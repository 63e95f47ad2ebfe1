import { isList, isObject, type Json } from '../../../kernel/journal/json.ts'
import { ANYTHING, type Domain, domainOf } from './domain.ts'

/** What a part of a value can be: few values, or their types. */
export type PartDomain = Pick<Domain, 'values' | 'types'>

/** Words of a schema behind which a part can be something else than "properties" says. */
const COMPOSED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems']
/** No list is made longer than this to have an element in it. */
const MOST_ELEMENTS = 16

/** The domain of a part of a value of a schema, where one can tell its types; undefined where nobody knows. */
export function partDomain(schema: Json | undefined, path: readonly (string | number)[]): PartDomain | undefined {
  let at = schema
  for (const step of path) {
    if (!isObject(at) || COMPOSED.some((word) => isObject(at) && at[word] !== undefined)) return undefined
    const { properties, items } = at
    if (typeof step === 'number') at = step < MOST_ELEMENTS && !isList(items) ? items : undefined
    else at = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined
  }
  if (!isObject(at) || at.$ref !== undefined) return undefined
  const domain = domainOf(at)
  return domain === ANYTHING || (domain.types === undefined && domain.values === undefined) ? undefined : domain
}
