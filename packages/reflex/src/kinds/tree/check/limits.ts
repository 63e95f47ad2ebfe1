import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { modelTimeout } from '../nodes/llm-request.ts'
import { textOf } from '../model/text-of.ts'
import type { Answers } from './answers.ts'
import type { Findings } from './finding.ts'
import { around, type CheckedNode } from './subject.ts'

/** What is known of the nodes of a tree by their places. */
export interface LimitParts {
  readonly tree: CompiledTree
  readonly answers: readonly Answers[]
  readonly findings: Findings
}

/** Leaves with one operation that a timeout of their own ends. */
const OPERATIONS = new Set(['llm_call', 'tool', 'oracle', 'code_search', 'vault_search', 'call', 'ask', 'action'])
/** Those that have a timeout by default. */
const WITH_DEFAULT = new Set(['llm_call', 'tool', 'oracle', 'code_search', 'vault_search'])

/** Checks limits of time, and what happens to questions and cooldowns below a retry. */
export function checkLimits(nodes: readonly CheckedNode[], parts: LimitParts): void {
  const longest = longestOf(nodes)
  const outer = outerLimits(nodes)
  for (const checked of nodes) {
    const { type } = checked.node.manifest
    const limit = outer[checked.index] ?? Infinity
    if (type === 'timeout') checkTimeout(checked, limit, longest, parts)
    if (OPERATIONS.has(type)) checkOperation(checked, limit, parts)
    if (type === 'cooldown') checkCooldown(checked, parts)
    if (type === 'ask') checkQuestion(checked, parts)
  }
}

/** The shortest timeout around each node. */
function outerLimits(nodes: readonly CheckedNode[]): readonly number[] {
  const limits: number[] = []
  for (const { index, parent } of nodes) {
    const around = parent === undefined ? Infinity : (limits[parent.index] ?? Infinity)
    const own = parent?.node.manifest.type === 'timeout' ? Number(parent.node.params.timeout_ms) : Infinity
    limits[index] = Math.min(around, own)
  }
  return limits
}

/** The longest time that each node can be RUNNING, in milliseconds. */
function longestOf(nodes: readonly CheckedNode[]): readonly number[] {
  const longest: number[] = Array.from({ length: nodes.length })
  for (const { index, node, children } of nodes.toReversed())
    longest[index] = longestTime(
      node,
      children.map((child) => longest[child.index] ?? Infinity),
    )
  return longest
}

/** Nodes that answer in the tick in which they begin. */
const PROMPT = new Set(['condition', 'set', 'succeed', 'fail'])
/** Nodes that have a timeout of their own, or none. */
const TIMED = new Set(['tool', 'oracle', 'code_search', 'vault_search', 'call', 'ask'])
/** Nodes that take as long as their children do one after another. */
const SERIAL = new Set([
  'sequence',
  'selector',
  'if_then_else',
  'guard',
  'inverter',
  'always_succeed',
  'always_fail',
  'cooldown',
  'run_once',
])

function longestTime({ manifest: { type }, params }: CompiledNode, children: readonly number[]): number {
  const sum = children.reduce((total, each) => total + each, 0)
  if (PROMPT.has(type)) return 0
  if (TIMED.has(type)) return params.timeout === undefined ? Infinity : Number(params.timeout)
  if (SERIAL.has(type)) return sum
  switch (type) {
    case 'wait':
      return Number(params.wait_ms)
    case 'delay':
      return sum + Number(params.delay_ms)
    case 'timeout':
      return Math.min(sum, Number(params.timeout_ms))
    case 'retry':
      return sum * (1 + Number(params.max_retries)) + Number(params.backoff_ms) * Number(params.max_retries)
    default:
      return Infinity
  }
}

function checkTimeout(checked: CheckedNode, outer: number, longest: readonly number[], { tree, answers, findings }: LimitParts): void {
  const [child] = checked.children
  const own = Number(checked.node.params.timeout_ms)
  const { id } = checked.node.source
  const execution = tree.source.max_execution_ms ?? Infinity
  const shorter = Math.min(outer, execution)
  if (own >= shorter)
    return never(checked, 'timeout_ms', own, shorter, shorter === outer ? 'the timeout around it' : 'max_execution_ms', findings)
  const most = child === undefined ? Infinity : (longest[child.index] ?? Infinity)
  if (most >= own || answers[child?.index ?? -1]?.running === false) return
  findings.add('R1295', checked, 'timeout_ms', () => ({
    message: `the timeout ${id} of ${own} ms is never reached: ${child?.node.source.id ?? 'its child'} ends after ${most} ms at the latest`,
    note: `its child ends after ${most} ms`,
    parameter: 'timeout_ms',
    fix: `write less than ${most}, or remove the timeout`,
  }))
}

function never(checked: CheckedNode, parameter: string, own: number, shorter: number, whose: string, findings: Findings): void {
  findings.add('R1295', checked, parameter, () => ({
    message: `${parameter} of ${checked.node.source.id}, ${own} ms, is never reached: ${whose} is ${shorter} ms`,
    note: `${whose} is ${shorter} ms`,
    parameter: checked.node.source.params?.timeout !== undefined && parameter === 'timeout_ms' ? 'timeout' : parameter,
    fix: `write less than ${shorter} ms, or raise the other limit`,
  }))
}

function checkOperation(checked: CheckedNode, outer: number, parts: LimitParts): void {
  const { tree, findings } = parts
  const { manifest, params, source } = checked.node
  const name = source.params?.timeout_ms === undefined ? 'timeout' : 'timeout_ms'
  const isExplicit = source.params?.[name] !== undefined
  const { max_tick_duration_ms, max_execution_ms } = tree.source
  if (isExplicit) {
    const own = manifest.type === 'llm_call' ? modelTimeout(params) : Number(params[name])
    const limits = { 'the timeout around it': outer, max_tick_duration_ms, max_execution_ms }
    const [whose, least = Infinity] = Object.entries(limits).reduce((a, b) => ((b[1] ?? Infinity) < (a[1] ?? Infinity) ? b : a))
    if (own > least) never(checked, name, own, least, whose, findings)
    return
  }
  if (outer !== Infinity || max_execution_ms !== undefined) return
  if (manifest.type === 'call' || manifest.type === 'ask') {
    const what = manifest.type === 'ask' ? 'a person' : textOfProgram(checked)
    findings.add('R1297', checked, '', () => ({
      message: `${source.id} may wait for ${what} for ever`,
      fix: 'write timeout, if there is a limit',
    }))
  } else if (WITH_DEFAULT.has(manifest.type) && max_tick_duration_ms === undefined) {
    const usual = manifest.type === 'llm_call' ? modelTimeout(params) : Number(params.timeout)
    findings.add('R1299', checked, '', () => ({
      message: `${source.id} has no timeout of its own; the default is ${usual} ms`,
      note: `${usual} ms by default`,
      fix: 'write timeout, or put a BT.timeout around it',
    }))
  }
}

function textOfProgram({ node }: CheckedNode): string {
  return textOf(node.params.program)
}

/** Nodes through which a failure of a child reaches the retry as it is. */
const PASSES_FAILURE = new Set([
  'sequence',
  'reactive_sequence',
  'sequence_with_memory',
  'guard',
  'timeout',
  'delay',
  'run_once',
  'parallel',
  'if_then_else',
  'while_do_else',
])

function checkCooldown(checked: CheckedNode, { findings }: LimitParts): void {
  for (const above of around(checked)) {
    const { manifest, params, source } = above.node
    if (
      manifest.type === 'retry' &&
      Number(params.max_retries) > 0 &&
      Number(params.backoff_ms) < Number(checked.node.params.cooldown_ms)
    ) {
      const id = checked.node.source.id
      findings.add('R1296', above, id, () => ({
        message: `${source.id} tries again after ${textOf(params.backoff_ms)} ms, while ${id} fails for ${textOf(checked.node.params.cooldown_ms)} ms after each end`,
        note: `${id} is still cooling down`,
        fix: `put ${id} around ${source.id}, or make backoff_ms longer than ${textOf(checked.node.params.cooldown_ms)}`,
      }))
    }
    if (manifest.type !== 'retry' && !PASSES_FAILURE.has(manifest.type)) return
  }
}

/** A question is asked again if it, or what comes behind it, fails below a retry. */
function checkQuestion(checked: CheckedNode, { answers, findings }: LimitParts): void {
  let canFail = answers[checked.index]?.failure !== false
  let below = checked
  for (const above of around(checked)) {
    const { type } = above.node.manifest
    const { params, source } = above.node
    if (type === 'retry' && Number(params.max_retries) > 0 && canFail) {
      findings.add('R1298', checked, source.id, () => ({
        message: `${checked.node.source.id} asks the same person again with each attempt of ${source.id}`,
        note: `below the retry ${source.id}`,
        fix: `ask before ${source.id}, or put the retry around what follows the question`,
      }))
      return
    }
    if (type === 'always_succeed' || type === 'inverter' || type === 'run_once') return
    if (type === 'timeout' || type === 'guard') canFail = true
    const others =
      type === 'parallel'
        ? above.children
        : type.endsWith('sequence') || type === 'sequence_with_memory'
          ? above.children.slice(below.place + 1)
          : []
    canFail ||= others.some((child) => child !== below && answers[child.index]?.failure !== false)
    // Another alternative may succeed in its place.
    if (type.startsWith('selector') || type === 'reactive_selector')
      canFail &&= above.children.slice(below.place + 1).every((child) => answers[child.index]?.failure !== false)
    below = above
  }
}
