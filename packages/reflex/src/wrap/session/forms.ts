import { ANYTHING, anyOf, FLAG, FUNCTION, type Form, instanceOf, listOf, NUMBER, OBJECT, oneOf, options, TEXT } from '../../text/index.ts'
import { FUNCTION_DIALECTS } from './clients.ts'

/** The options of a wrapped agent, and what it uses. */
const WRAP_FIELDS: Readonly<Record<string, Form>> = {
  name: TEXT,
  carrier: oneOf('text', 'tool', 'both'),
  kCards: NUMBER,
  maxSkillRounds: NUMBER,
  strictIntercept: FLAG,
  dialect: oneOf(...Object.keys(FUNCTION_DIALECTS)),
  env: listOf(TEXT),
  carryWork: FLAG,
  llm: anyOf(FUNCTION, OBJECT),
  tools: anyOf(OBJECT, listOf(ANYTHING)),
}

/** The form of the options of a session: those of a wrapped agent, and those of its turn. */
export const SESSION_OPTIONS = options({
  ...WRAP_FIELDS,
  input: ANYTHING,
  id: TEXT,
  signal: instanceOf('an AbortSignal', AbortSignal),
  conversation: TEXT,
  state: ANYTHING,
  blackboard: ANYTHING,
  goalLabels: listOf(TEXT),
})
