import {
  anyOf,
  FLAG,
  FUNCTION,
  objectWith,
  instanceOf,
  listOf,
  NAMED_VALUES,
  OBJECT,
  options,
  recordOf,
  shape,
  TEXT,
} from '../../../text/index.ts'

export const MAP = instanceOf('a Map', Map)
const ATTRIBUTES = { attributes: MAP }

/** The form of a graph from `parse` or `pipeline`. */
export const GRAPH = shape('a graph, as parse() and pipeline() give it', {
  id: TEXT,
  ...ATTRIBUTES,
  nodes: MAP,
  edges: listOf(shape('an edge', { from: TEXT, to: TEXT, ...ATTRIBUTES })),
  subgraphs: listOf(OBJECT),
})
/** The form of a compiled graph from `compileGraph`. */
export const TYPED = shape('a compiled graph, as compileGraph() gives it', { graph: GRAPH, nodes: MAP, outgoing: MAP })
export const SOURCE = anyOf(TEXT, GRAPH, TYPED)
export const HOST_RULES = listOf(objectWith('a rule', 'apply'))
/** The form of options whose names depend on the host. */
export const SOME_OPTIONS = NAMED_VALUES
export const INTERVIEWER = objectWith('an interviewer', 'ask')

export const WARN = options({ warn: FUNCTION })
const ANSWER = anyOf(TEXT, OBJECT)
export const QUEUE = options({
  answers: listOf(ANSWER),
  answers_by_stage: recordOf(anyOf(ANSWER, listOf(ANSWER))),
  return_timeout_when_empty: FLAG,
})
export const CONSOLE = options({ input: objectWith('a stream', 'on'), output: objectWith('a stream', 'write'), interactive: FLAG })

export const FUNCTION_OR_OBJECT = anyOf(FUNCTION, OBJECT)
export const TRANSFORMS = options({ registered: listOf(FUNCTION_OR_OBJECT), ofRun: listOf(FUNCTION_OR_OBJECT) })
