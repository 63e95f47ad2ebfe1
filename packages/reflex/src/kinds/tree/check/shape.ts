import { isObject } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { textOf } from '../model/text-of.ts'
import type { Answers } from './answers.ts'
import type { Findings } from './finding.ts'
import type { CheckedNode } from './subject.ts'
import type { Writes } from './writes.ts'

/** What is known of the nodes of a tree by their places. */
export interface ShapeParts {
  readonly tree: CompiledTree
  readonly answers: readonly Answers[]
  readonly writes: readonly Writes[]
  readonly findings: Findings
}

/** Finds children that are never ticked, decorators that change nothing, and loops that never wait. */
export function checkShape(nodes: readonly CheckedNode[], parts: ShapeParts): void {
  for (const checked of nodes) {
    checkChildren(checked, parts)
    if (checked.node.manifest.role === 'decorator' && !isPointless(checked, parts)) checkLoop(checked, parts)
  }
}

const BEHIND_SUCCESS = new Set(['sequence', 'reactive_sequence', 'sequence_with_memory'])
const BEHIND_FAILURE = new Set(['selector', 'reactive_selector', 'selector_with_memory'])
const CHOICES = new Set(['if_then_else', 'while_do_else'])

function answersOf({ index }: CheckedNode, { answers }: ShapeParts): Answers {
  return answers[index] ?? { success: true, failure: true, running: true, waits: true }
}

function checkChildren(checked: CheckedNode, parts: ShapeParts): void {
  const { type } = checked.node.manifest
  if (CHOICES.has(type)) return checkBranches(checked, parts)
  const isSequence = BEHIND_SUCCESS.has(type)
  if (!isSequence && !BEHIND_FAILURE.has(type)) return
  const end = checked.children.find((child) => !answersOf(child, parts)[isSequence ? 'success' : 'failure'])
  const behind = end === undefined ? undefined : checked.children[end.place + 1]
  if (end === undefined || behind === undefined) return
  const more = checked.children.length - behind.place - 1
  dead(behind, end, isSequence ? 'never succeeds' : 'never fails', more, parts)
}

function checkBranches({ children }: CheckedNode, parts: ShapeParts): void {
  const [test, then, otherwise] = children
  if (test === undefined) return
  const { success, failure } = answersOf(test, parts)
  if (!success && then !== undefined) dead(then, test, 'never succeeds', 0, parts)
  if (!failure && otherwise !== undefined) dead(otherwise, test, 'never fails', 0, parts)
}

function dead(child: CheckedNode, cause: CheckedNode, why: string, more: number, { findings }: ShapeParts): void {
  const [id, blocking] = [child.node.source.id, cause.node.source.id]
  const others = more === 0 ? '' : `, and neither are the ${more} behind it`
  findings.add('R1281', child, '', () => ({
    message: `${id} is never ticked, because ${blocking} ${why}${others}`,
    note: `${blocking} ${why}`,
    fix: `put ${id} before ${blocking}, or remove it`,
    data: { because: blocking },
  }))
}

/** Returns true if it reported that a decorator changes nothing. */
function isPointless(checked: CheckedNode, parts: ShapeParts): boolean {
  const why = pointless(checked, parts)
  if (why === undefined) return false
  const { id, type } = checked.node.source
  parts.findings.add('R1282', checked, '', () => ({
    message: `${type} ${id} changes nothing: ${why}`,
    note: why,
    fix: `remove ${id}, or put it around the node that is meant`,
  }))
  return true
}

function pointless(checked: CheckedNode, parts: ShapeParts): string | undefined {
  const [child] = checked.children
  if (child === undefined) return undefined
  const { type } = checked.node.manifest
  const { success, failure, running } = answersOf(child, parts)
  const name = child.node.source.id
  if (type === 'timeout') return running ? undefined : `${name} is never RUNNING`
  if (type === 'always_succeed') return failure ? undefined : `${name} never fails`
  if (type === 'always_fail') return success ? undefined : `${name} never succeeds`
  if (type === 'inverter') {
    if (child.node.manifest.type === 'inverter') return `${name} inverts the answer as well`
    return success === failure
      ? undefined
      : `${name} always ${success ? 'succeeds' : 'fails'}; write always_${success ? 'fail' : 'succeed'}`
  }
  if (type !== 'retry') return undefined
  if (checked.node.source.params?.max_retries === 0) return 'max_retries is 0'
  if (!failure) return `${name} never fails`
  return success ? undefined : `${name} never succeeds, so each new attempt fails`
}

function checkLoop(checked: CheckedNode, parts: ShapeParts): void {
  const [child] = checked.children
  const { type } = checked.node.manifest
  const { params } = checked.node
  if (child === undefined || answersOf(child, parts).waits) return
  const { success, failure } = answersOf(checked, parts)
  const { id } = checked.node.source
  if (type === 'repeater' && params.count === undefined && !success && !failure) {
    parts.findings.add('R1283', checked, '', () => ({
      message: `${id} repeats ${child.node.source.id} without an end and without a wait`,
      note: 'never ends and never waits',
      severity: 'error',
      fix: 'give it a count, an until_ condition that can come true, or a wait inside',
    }))
    return
  }
  const isRetry = type === 'retry' && Number(params.backoff_ms) === 0
  if (!isRetry && !(type === 'repeater' && params.count === undefined)) return
  if (changesItself(child, parts)) return
  parts.findings.add('R1283', checked, '', () => ({
    message: `${id} ticks ${child.node.source.id} again at once, and nothing in it changes what it answers`,
    note: 'each round answers the same',
    fix: isRetry ? 'write backoff_ms, or remove the retry' : 'give it a count, or put a wait into it',
  }))
}

/** True if a round can have another answer than the one before: code decides, or it writes a key that it reads. */
function changesItself(child: CheckedNode, { tree, writes }: ShapeParts): boolean {
  const open: CheckedNode[] = [child]
  const { keys: written = new Set<string>(), isOpaque = false } = writes[child.index] ?? {}
  if (isOpaque) return true
  for (const checked of open) {
    const { params, conditions, manifest } = checked.node
    if (conditions !== undefined || manifest.type === 'cooldown' || manifest.type === 'run_once') return true
    const texts = [params.condition, params.expression].flatMap((text) => (text === undefined ? [] : [text]))
    for (const text of texts) {
      const code = isObject(text) ? undefined : tree.code.get(JSON.stringify(typeof text === 'string' ? text : textOf(text)))
      if (code?.is !== 'expression' || /\bctx\b/.test(code.text) || code.reads.some((key) => written.has(key))) return true
    }
    open.push(...checked.children)
  }
  return false
}
