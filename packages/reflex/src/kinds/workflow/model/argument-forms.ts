import {
  ANYTHING,
  FLAG,
  type Form,
  FUNCTION,
  objectWith,
  listOf,
  NAMED_VALUES,
  OBJECT,
  options,
  recordOf,
  shape,
  TEXT,
} from '../../../text/index.ts'
import type { EngineOptions, InitOptions, PushWorkflowOptions, RestoreOptions, ResumeOptions, UnwindOptions } from '../types/index.ts'

/** One form for each option of a type. */
type FormsOf<Options> = Readonly<Record<keyof Options, Form>>

export const REGISTRY = objectWith('a registry', 'get', 'list')
export const AGENT = objectWith('an agent', 'resolve')
export const READER = objectWith('a board', 'get', 'has')
// A guard without a function has its own fault.
const GUARDS = NAMED_VALUES

const ENGINE = {
  persistence: objectWith('an adapter', 'save'),
  host: objectWith('a host', 'now', 'entropy'),
} satisfies FormsOf<EngineOptions>

export const ENGINE_OPTIONS = options({ ...ENGINE, guards: GUARDS } satisfies FormsOf<EngineOptions & RestoreOptions>)
export const INIT_OPTIONS = options({ blackboard: listOf(shape('a write', { key: TEXT })) } satisfies FormsOf<InitOptions>)
export const STEP_OPTIONS = options({
  input: ANYTHING,
  signal: objectWith('a signal', 'addEventListener'),
} satisfies FormsOf<ResumeOptions>)
const INPUTS = listOf(shape('a mapping of keys', { from: TEXT, to: TEXT }))
const RETURNS = listOf(shape('a mapping of keys', { parentKey: TEXT, childKey: TEXT }))
export const PUSH_OPTIONS = options({ inputMap: INPUTS, returnMap: RETURNS } satisfies FormsOf<PushWorkflowOptions>)
export const UNWIND_OPTIONS = options({ reinvoke: FLAG } satisfies FormsOf<UnwindOptions>)
export const REGISTRY_OPTIONS = options({ warn: FUNCTION })
export const REGISTER_OPTIONS = options({ verify: FLAG })
export const LOAD_OPTIONS = options({ guards: GUARDS, file: TEXT })
export const SERIALIZE_OPTIONS = options({ guardNames: OBJECT })
/** The form of a workflow or a definition, precise enough to iterate over its nodes and edges. */
export const WORKFLOW = shape('a workflow', { nodes: recordOf(OBJECT), edges: listOf(OBJECT) })
export const CALLS = shape('a state of calls', {
  records: listOf(shape('a call', { invocationId: TEXT, childInvocationIds: listOf(TEXT) })),
})
