import { FUNCTION, listOf, NAMED_VALUES, NUMBER, objectWith, oneOf, options, recordOf, TEXT } from '../../../text/index.ts'

/** The form of the options of a host for its skills. */
export const HOST_OPTIONS = options({
  project: TEXT,
  org: TEXT,
  compat: NAMED_VALUES,
  tau: NUMBER,
  epsilon: NUMBER,
  policyMode: oneOf('enforce', 'advise'),
  mode: oneOf('apply', 'shadow'),
  principal: objectWith('a principal', 'id', 'roles'),
  functions: listOf(objectWith('a function', 'name', 'call')),
  facts: recordOf(FUNCTION),
  tools: listOf(objectWith('the declaration of a tool', 'name', 'sideEffects')),
})
