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

/** The options of one turn. */
const TURN_FIELDS: Readonly<Record<string, Form>> = {
  id: TEXT,
  onStart: FUNCTION,
  signal: instanceOf('an AbortSignal', AbortSignal),
  conversation: TEXT,
  state: ANYTHING,
  blackboard: ANYTHING,
  goalLabels: listOf(TEXT),
  answers: oneOf('wait', 'none'),
}

/** The form of what is wrapped. Parts that have faults of their own are checked where they are used. */
export const WRAP_OPTIONS = options({ ...WRAP_FIELDS, agent: ANYTHING, dialect: ANYTHING, llm: ANYTHING, tools: ANYTHING })

/** The form of the options of a turn. */
export const TURN_OPTIONS = options(TURN_FIELDS)

/** The form of the options of a session: those of a wrapped agent, and those of its turn. */
export const SESSION_OPTIONS = options({ ...WRAP_FIELDS, ...TURN_FIELDS, input: ANYTHING })

/** Splits the options of a session into those of the wrapped agent and those of its turn. */
export function splitOptions(given: object): readonly [wrap: object, turn: object] {
  const among = (fields: object): object => Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(fields, name)))
  return [among(WRAP_FIELDS), among(TURN_FIELDS)]
}
