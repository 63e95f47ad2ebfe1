import { anyOf, FLAG, FUNCTION, listOf, NAMED_VALUES, NUMBER, oneOf, options, recordOf, shape, TEXT } from '../../../text/index.ts'

const CONTROL_PLANE = options({
  url: TEXT,
  token: TEXT,
  timeoutMs: NUMBER,
  policyTtlS: NUMBER,
  staleIfDownS: NUMBER,
  publicKey: TEXT,
})

/** The form of the options of a host for its skills. */
export const HOST_OPTIONS = options({
  project: TEXT,
  org: TEXT,
  confirm: FUNCTION,
  compat: NAMED_VALUES,
  tau: NUMBER,
  epsilon: NUMBER,
  policyMode: oneOf('enforce', 'advise'),
  mode: oneOf('apply', 'shadow'),
  principal: shape('a principal', { id: TEXT, roles: listOf(TEXT) }),
  functions: listOf(shape('a function of the host', { name: TEXT, call: FUNCTION })),
  facts: recordOf(FUNCTION),
  tools: listOf(shape('the declaration of a tool', { name: TEXT, sideEffects: oneOf('none', 'local', 'external') })),
  controlPlane: anyOf(oneOf(null), CONTROL_PLANE),
  prompts: recordOf(TEXT),
  board: options({ ctx: NAMED_VALUES, env: NAMED_VALUES }),
  goalLabels: listOf(TEXT),
  logContent: oneOf('none', 'redacted', 'full'),
  recordSecrets: FLAG,
})
