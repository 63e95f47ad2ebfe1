import * as fc from 'fast-check'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeManifest, Parameter } from '../../../../src/kinds/tree/manifest/manifest.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'

const NAMES = fc
  .stringMatching(/^[a-z][a-z0-9_]{0,5}$/)
  .filter((name) => !['true', 'false', 'and', 'or', 'not', 'nil', 'end', 'do', 'if', 'in', 'for'].includes(name))
const EXPRESSIONS = fc.constantFrom(
  'bb.a',
  'bb.a == 1',
  'not bb.b',
  'bb.a < 3 and bb.b',
  '(bb.a or bb.b) and bb.c == "x"',
  'bb.a + 1 > 2 * bb.b',
  'bb["@g"] ~= 2.5',
)

const JSON_VALUES = fc.jsonValue({ maxDepth: 2 })

/** Returns a value without prototypes and numbers that JSON does not keep. */
function plain(value: unknown): Json {
  const isKept = (item: unknown): boolean => typeof item !== 'number' || !Number.isInteger(item) || Number.isSafeInteger(item)
  return JSON.parse(JSON.stringify(value, (_, item: unknown) => (isKept(item) ? item : 0))) as Json
}

function valueOf({ type, least, values = {} }: Parameter): fc.Arbitrary<unknown> {
  switch (type) {
    case 'flag':
      return fc.boolean()
    case 'number':
      return fc.integer({ min: 1, max: 900 })
    case 'count':
    case 'ms':
      return fc.integer({ min: Math.max(1, least ?? 1), max: 1_000_000 })
    case 'enum':
      return fc.constantFrom(...Object.keys(values))
    case 'condition':
      return fc.oneof(
        EXPRESSIONS,
        NAMES.map((fn) => ({ fn })),
      )
    case 'names':
      return fc.array(NAMES, { maxLength: 3 })
    case 'map':
      return fc.dictionary(NAMES, Object.keys(values).length === 0 ? NAMES : fc.constantFrom(...Object.keys(values)), { maxKeys: 3 })
    case 'json':
      return fc.dictionary(NAMES, JSON_VALUES, { maxKeys: 3 }).map(plain)
    case 'expression':
      return EXPRESSIONS
    default:
      return NAMES
  }
}

function paramsOf({ parameters }: NodeManifest): fc.Arbitrary<JsonObject> {
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name)
  const shapes = Object.fromEntries(parameters.map((parameter) => [parameter.name, valueOf(parameter)]))
  const own = fc.record(shapes, { requiredKeys: required })
  const common = fc.record({ skip_if: EXPRESSIONS, on_success: fc.dictionary(NAMES, EXPRESSIONS, { maxKeys: 2 }) }, { requiredKeys: [] })
  return fc.tuple(own, common).map(([a, b]) => plain({ ...a, ...b }) as JsonObject)
}

/** A node of any type, with parameters of the forms that its manifest states. Together they may be wrong. */
export function anyNode(depth: number): fc.Arbitrary<NodeSource> {
  const usable = NODES.filter(({ children: [least] }) => depth > 0 || least === 0)
  return fc.constantFrom(...usable).chain((manifest) => {
    const [least, most] = manifest.children
    const children = most === 0 ? fc.constant([]) : fc.array(anyNode(depth - 1), { minLength: least, maxLength: Math.min(most, least + 2) })
    return fc.tuple(paramsOf(manifest), children).map(([params, nodes]) => node(manifest.type, params, nodes))
  })
}

function node(type: string, params: JsonObject, children: readonly NodeSource[]): NodeSource {
  return { type, id: '', ...(Object.keys(params).length === 0 ? {} : { params }), ...(children.length === 0 ? {} : { children }) }
}

/** The same node with ids that are stated, in preorder. */
export function withIds(root: NodeSource): NodeSource {
  let count = 0
  const named = (each: NodeSource): NodeSource => ({
    ...each,
    id: `n${++count}`,
    ...(each.children === undefined ? {} : { children: each.children.map(named) }),
  })
  return named(root)
}

const LEAVES: fc.Arbitrary<NodeSource> = fc.oneof(
  fc.constantFrom(node('succeed', {}, []), node('fail', {}, [])),
  fc.integer({ min: 1, max: 99 }).map((wait_ms) => node('wait', { wait_ms }, [])),
  EXPRESSIONS.map((condition) => node('condition', { condition }, [])),
  fc.tuple(NAMES, EXPRESSIONS).map(([key, expression]) => node('set', { key, expression }, [])),
  fc.tuple(NAMES, JSON_VALUES).map(([key, value]) => node('set', { key, value: plain(value) }, [])),
  NAMES.map((key) => node('unset', { key }, [])),
  fc.dictionary(NAMES, JSON_VALUES, { minKeys: 1, maxKeys: 2 }).map((args) => node('action', { fn: 'Act', args: plain(args) }, [])),
  NAMES.map((door) => node('condition', { condition: { fn: 'IsOpen', inputs: { door } } }, [])),
  NAMES.map((goal) => node('action', { fn: 'MoveTo', inputs: { goal }, outputs: { goal } }, [])),
)

/** A node that XML can say, in the form in which XML is read. */
export function xmlNode(depth: number): fc.Arbitrary<NodeSource> {
  if (depth === 0) return LEAVES
  const inner = xmlNode(depth - 1)
  const one = (type: string, params: fc.Arbitrary<JsonObject>): fc.Arbitrary<NodeSource> =>
    fc.tuple(params, inner).map(([own, child]) => node(type, own, [child]))
  const count = fc.integer({ min: 1, max: 9 })
  const ordered = fc.tuple(
    fc.constantFrom('sequence', 'selector', 'reactive_sequence', 'reactive_selector', 'sequence_with_memory'),
    fc.array(inner, { minLength: 1, maxLength: 3 }),
  )
  const conditional = fc.tuple(fc.constantFrom('if_then_else', 'while_do_else'), fc.array(inner, { minLength: 2, maxLength: 3 }))
  return fc.oneof(
    LEAVES,
    ordered.map(([type, children]) => node(type, {}, children)),
    conditional.map(([type, children]) => node(type, {}, children)),
    fc
      .tuple(
        fc.array(inner, { minLength: 3, maxLength: 4 }),
        fc.constantFrom<JsonObject>(
          { policy: 'require_all' },
          { policy: 'require_one' },
          { policy: 'require_n', n: 2 },
          { policy: 'require_n', n: 2, max_failures: 1 },
          { policy: 'require_all', on_child_fail: 'continue' },
          { policy: 'require_one', on_child_fail: 'continue' },
        ),
      )
      .map(([children, params]) => node('parallel', { ...params, merge_strategy: 'last_wins' }, children)),
    fc.array(inner, { minLength: 3, maxLength: 3 }).map((children) => node('switch', { key: 'mode', cases: ['a', 2] }, children)),
    one(
      'timeout',
      count.map((timeout_ms) => ({ timeout_ms })),
    ),
    one(
      'delay',
      count.map((delay_ms) => ({ delay_ms })),
    ),
    one(
      'retry',
      fc.integer({ min: -1, max: 9 }).map((max_retries) => ({ max_retries })),
    ),
    one(
      'repeater',
      fc.oneof(
        fc.constant({}),
        count.map((times) => ({ count: times })),
      ),
    ),
    one(
      'guard',
      EXPRESSIONS.map((condition) => ({ condition })),
    ),
    one(
      'run_once',
      fc.boolean().map((then_skip) => ({ then_skip })),
    ),
    one('inverter', fc.constant({})),
    one(
      'always_succeed',
      EXPRESSIONS.map((skip_if) => ({ skip_if })),
    ),
    one(
      'always_fail',
      fc.tuple(NAMES, EXPRESSIONS).map(([key, text]) => ({ on_success: { [key]: text } })),
    ),
  )
}
