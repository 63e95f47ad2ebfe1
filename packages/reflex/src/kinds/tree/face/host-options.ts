import type { JsonObject, Validator } from '../../../kernel/index.ts'
import { anyOf, FUNCTION, listOf, NUMBER, OBJECT, objectWith, oneOf, options, recordOf, shape, TEXT } from '../../../text/index.ts'
import { type NodeManifest, PARAMETER_TYPES, PROPAGATIONS } from '../manifest/manifest.ts'
import type { FunctionRegistry } from '../tick/function-port.ts'

/** The extensions of a host for trees. */
export interface TreeOptions {
  /** The functions that `fn` names in actions and conditions. A function given here is allowed. */
  readonly functions?: FunctionRegistry
  /** Types of nodes in addition to the catalogue. */
  readonly nodes?: readonly NodeManifest[]
  /** Schemas that blackboards may name. */
  readonly schemas?: Readonly<Record<string, JsonObject | Validator>>
  /** What functions get as `context.services`. */
  readonly services?: object
}

const PURE = objectWith('a pure function of trees', 'pure')

const PARAMETER = shape('a parameter', { name: TEXT, type: oneOf(...PARAMETER_TYPES), doc: TEXT })

const MANIFEST = shape('a manifest of a node', {
  type: TEXT,
  role: oneOf('composite', 'decorator', 'leaf'),
  children: listOf(NUMBER),
  parameters: listOf(PARAMETER),
  propagates: oneOf(...PROPAGATIONS),
  outcomes: FUNCTION,
  doc: TEXT,
  example: TEXT,
  behaviour: objectWith('the behaviour of a node', 'enter'),
})

/** The form of the options. */
export const HOST_OPTIONS = options({
  functions: recordOf(anyOf(FUNCTION, objectWith('a function of trees', 'run'), PURE, listOf(PURE))),
  nodes: listOf(MANIFEST),
  schemas: recordOf(OBJECT),
  services: OBJECT,
})
