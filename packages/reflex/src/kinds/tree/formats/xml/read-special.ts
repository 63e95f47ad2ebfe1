import type { Json } from '../../../../kernel/index.ts'
import { build } from '../../lua/expression/build.ts'
import { text } from '../../lua/expression/print.ts'
import { RawNode, REFUSED } from '../raw.ts'
import { LIST_LOOP, listIn } from './loop-list.ts'
import type { NodeParts } from './node-parts.ts'
import { literalIn, referenceIn } from './ports.ts'
import { readParallel, readParallelAll, readRepeat, readRetry } from './read-counts.ts'
import type { ScriptStatement } from './script-read.ts'

/** Reads a node whose ports mean something else than parameters of the same value. */
export type SpecialReader = (parts: NodeParts, children: readonly RawNode[], name: string) => RawNode | undefined

function readScriptNode(parts: NodeParts): RawNode | undefined {
  onlyPorts(parts, ['code'])
  const code = parts.attribute('code')
  if (code === undefined) return parts.refuse('Script has no code', undefined, 'add code="key := value"')
  const statements = parts.statements(code, 'code')
  if (statements === undefined) return undefined
  const [only, ...others] = statements
  if (only === undefined) return parts.refuse('the script has no statements', 'code', 'write key := value')
  const idle = statements.find(({ key }) => key === undefined)
  if (idle !== undefined)
    return parts.refuse('a statement of the script writes nothing', 'code', 'write key := value; ScriptCondition tests')
  if (others.length === 0) {
    for (const [key, value] of assignment(only)) parts.set(key, value, 'code')
    return parts.node('set', [])
  }
  parts.set('metadata', { xml: 'Script' })
  const sets = statements.map((statement) => new RawNode('set', { keys: assignment(statement), origin: parts.origin }))
  return parts.node('sequence', sets)
}

function assignment({ key = '', expression }: ScriptStatement): Map<string, Json> {
  const isGlobal = key.startsWith('@')
  const keys = new Map<string, Json>([
    ['key', isGlobal ? key.slice(1) : key],
    ['expression', text(expression)],
  ])
  if (isGlobal) keys.set('global', true)
  return keys
}

function readSetBlackboard(parts: NodeParts): RawNode | undefined {
  onlyPorts(parts, ['value', 'output_key'])
  const key = namedKey(parts, 'output_key')
  const value = parts.attribute('value')
  if (key === undefined) return undefined
  if (value === undefined) return parts.refuse('SetBlackboard has no value')
  const from = referenceIn(value, 'value')
  parts.set('key', key.startsWith('@') ? key.slice(1) : key, 'output_key')
  if (key.startsWith('@')) parts.set('global', true)
  if (from === undefined) parts.set('value', literalIn(value), 'value')
  else if (parts.useKey(from, 'value')) parts.set('expression', text(build.key(from)), 'value')
  return parts.node('set', [])
}

function readUnset(parts: NodeParts): RawNode | undefined {
  onlyPorts(parts, ['key'])
  const key = namedKey(parts, 'key')
  if (key === undefined) return undefined
  if (key.startsWith('@')) return parts.refuse('a key of the root blackboard cannot be deleted', 'key', 'write a value that means none')
  parts.set('key', key, 'key')
  return parts.node('unset', [])
}

/** Returns the key that a port names: `k`, and not `{k}`, which would be the key whose name k holds. */
function namedKey(parts: NodeParts, port: string): string | undefined {
  const value = parts.attribute(port)
  if (value === undefined || value === '') return parts.refuse(`${parts.element.name} has no ${port}`, undefined, `add ${port}="key"`)
  const inner = referenceIn(value, port)
  if (inner !== undefined) {
    return parts.refuse(
      `${port}="{${inner}}" means the key whose name ${inner} holds, and keys are fixed`,
      port,
      `write ${port}="${inner}"`,
    )
  }
  return parts.useKey(value, port) ? value : undefined
}

function readPrecondition(parts: NodeParts, children: readonly RawNode[]): RawNode | undefined {
  onlyPorts(parts, ['if', 'else'])
  const [test, other = 'FAILURE'] = [parts.attribute('if'), parts.attribute('else')]
  if (test === undefined) return parts.refuse('Precondition has no if')
  if (other === 'FAILURE') {
    parts.set('condition', parts.condition(test, 'if') ?? REFUSED, 'if')
    return parts.node('guard', children)
  }
  const condition = other === 'SUCCESS' ? 'success_if' : 'skip_if'
  if (other !== 'SUCCESS' && other !== 'SKIPPED')
    return parts.refuse(`Precondition with else="${other}" is not read`, 'else', 'write FAILURE, SUCCESS or SKIPPED')
  if (parts.keys.has(condition)) {
    const own = other === 'SUCCESS' ? '_successIf' : '_skipIf'
    return parts.refuse(`Precondition with else="${other}" has ${own} as well`, own, 'join both conditions in one of them')
  }
  parts.set(condition, parts.condition(test, 'if', true) ?? REFUSED, 'if')
  return parts.node('sequence', children)
}

function readSwitch(parts: NodeParts, children: readonly RawNode[], name: string): RawNode | undefined {
  const count = Number(name.slice('Switch'.length))
  const names = Array.from({ length: count }, (_, at) => `case_${at + 1}`)
  onlyPorts(parts, ['variable', ...names])
  const key = parts.keyAt('variable')
  const cases = names.map((port): Json | undefined => {
    const value = parts.attribute(port)
    if (value === undefined) return parts.refuse(`${name} has no ${port}`)
    if (referenceIn(value, port) === undefined) return literalIn(value)
    return parts.refuse('a case cannot come from the blackboard', port, 'write the value itself')
  })
  if (key === undefined || cases.includes(undefined)) return undefined
  parts.set('key', key, 'variable')
  parts.set('cases', cases, 'case_1')
  return parts.node('switch', children)
}

function readLoop(parts: NodeParts, children: readonly RawNode[], name: string): RawNode | undefined {
  onlyPorts(parts, ['queue', 'value', 'if_empty'])
  const empty = parts.attribute('if_empty') ?? 'SUCCESS'
  if (empty !== 'SUCCESS')
    return parts.refuse(`${name} with if_empty="${empty}" is not read`, 'if_empty', 'remove it: no items are a success')
  const list = parts.attribute('queue')
  if (list !== undefined && referenceIn(list, 'queue') === undefined) return readListLoop(parts, children, { name, list })
  const [queue, value] = [parts.keyAt('queue'), parts.keyAt('value')]
  if (queue === undefined || value === undefined) return undefined
  parts.set('collection_key', queue, 'queue')
  parts.set('item_key', value, 'value')
  parts.set('metadata', { xml: name })
  return parts.node('for_each', children)
}

/** Reads a loop over a list that stands in the file: the list is written to a key of its own when the loop begins. */
function readListLoop(
  parts: NodeParts,
  children: readonly RawNode[],
  { name, list }: { readonly name: string; readonly list: string },
): RawNode | undefined {
  const items = listIn(list, name)
  if (items === undefined) return parts.refuse(`${name} has an item of another type`, 'queue', 'write items of one type: queue="1;2;3"')
  const value = parts.keyAt('value')
  if (value === undefined) return undefined
  const key = `queue_${parts.element.offset}`
  parts.useKey(key, 'queue')
  const set = new RawNode('set', {
    keys: new Map<string, unknown>([
      ['key', key],
      ['value', items],
    ]),
    origin: parts.origin,
  })
  const keys = new Map<string, unknown>([
    ['collection_key', key],
    ['item_key', value],
    ['metadata', { xml: name }],
  ])
  parts.set('metadata', { xml: LIST_LOOP })
  return parts.node('sequence', [set, new RawNode('for_each', { keys, children, origin: parts.origin })])
}

function readSubtree(parts: NodeParts, children: readonly RawNode[]): RawNode | undefined {
  const id = parts.attribute('ID')
  if (id === undefined) return parts.refuse('SubTree has no ID', undefined, 'write <SubTree ID="…"/>')
  const automatic = parts.attribute('_autoremap') ?? 'false'
  if (!/^(true|false|1|0)$/.test(automatic)) parts.refuse('_autoremap must be true or false', '_autoremap')
  const isAutomatic = automatic === 'true' || automatic === '1'
  const bind = new Map<string, string>()
  const exports = new Map<string, string>()
  const values = new Map<string, Json>()
  for (const [port, value] of parts.ports) {
    const key = referenceIn(value, port)
    if (key === undefined) values.set(port, literalIn(value))
    else if (exports.has(key)) parts.refuse(`two keys of the subtree are connected with ${key}`, port, 'connect one of them')
    else if (parts.useKey(key, port)) {
      bind.set(port, key)
      exports.set(key, port)
    }
  }
  parts.scope.subtrees.push({ id, element: parts.element, isAutomatic, bind, exports, given: [...values.keys()], keys: parts.keys })
  parts.set('tree_name', id, 'ID')
  if (isAutomatic) parts.set('autoremap', true, '_autoremap')
  if (values.size > 0) parts.set('values', Object.fromEntries(values))
  return parts.node('subtree_ref', children)
}

function onlyPorts(parts: NodeParts, known: readonly string[]): void {
  for (const [port] of parts.ports) if (!known.includes(port)) parts.refusePort(port, known)
}

export const SPECIAL_READERS: ReadonlyMap<string, SpecialReader> = new Map<string, SpecialReader>([
  ['Script', readScriptNode],
  ['SetBlackboard', readSetBlackboard],
  ['UnsetBlackboard', readUnset],
  ['Precondition', readPrecondition],
  ['SubTree', readSubtree],
  ['Loop', readLoop],
  ...[2, 3, 4, 5, 6].map((count): [string, SpecialReader] => [`Switch${count}`, readSwitch]),
  ['Parallel', readParallel],
  ['ParallelAll', readParallelAll],
  ['RetryUntilSuccessful', readRetry],
  ['Repeat', readRepeat],
  ['KeepRunningUntilFailure', readRepeat],
])
