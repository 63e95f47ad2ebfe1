import {
  type FaultData,
  faultData,
  copyJson,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Kind,
  type StepContext,
  type Input,
  type Ref,
  type ReturnPair,
} from '../../../kernel/index.ts'
import {
  type CompiledNode,
  type CompiledWorkflow,
  DECIDE,
  compileWorkflow,
  hasReturned,
  nodeAt,
  objectOf,
  programRef,
  textOf,
} from '../model/compile.ts'
import { isUntrusted, markUntrusted, splitAuthor } from './untrusted-source.ts'
import { explainClosed, filterEdges } from '../guards/guards.ts'
import { isPreparationCall, leavePreparation, plainPosition, prepare, retriedArgs, storeResult } from './preparation.ts'
import { ENGINE_ERROR, guardFault, runFaults, suspensionReason } from './run-faults.ts'
import { frameReader } from './scopes.ts'
import type { Edge, Workflow } from '../types/index.ts'
import { mappedInputs, placeOf, applyWrites } from './step-writes.ts'

/** Commands of the host to a frame (reference workflow 13, 14); `interrupt` drops the pending decision. */
export type WorkflowCommand =
  | { readonly push: string; readonly seeds: readonly Json[]; readonly map: readonly ReturnPair[] }
  | { readonly pop: 1 }
  | { readonly unwind: 'decide' | 'reinvoke' }
  | { readonly interrupt: string }

type Step = StepContext<CompiledWorkflow>

/** Settings of the kind. */
export interface WorkflowKindOptions {
  /** Reads a stored or loaded source; gives functions back to guards that stand by name. */
  readonly load: (source: Json) => Workflow
}

/**
 * The interpreter of workflows (seed workflow 1.4): one record per node. A settled decision is checked, its
 * writes are appended, the next node is entered and its decision requested, all in one step.
 */
export function workflowKind(options: WorkflowKindOptions): Kind<CompiledWorkflow> {
  return {
    name: 'workflow',
    rev: 3,
    board: { history: true, scopes: true },
    compile(stored) {
      const { source, untrusted } = splitAuthor(stored)
      const compiled = compileWorkflow(options.load(source))
      return untrusted ? markUntrusted(compiled) : compiled
    },
    isUntrusted,
    functions: ({ functions }) => functions,
    calls: ({ calls }) => calls,
    schemas: ({ board }) => board,
    node: (_, position) => nodeAt(position),
    step,
  }
}

function step(x: Step, input: Input | undefined): void {
  switch (input?.[0]) {
    case undefined:
      return x.position === undefined ? begin(x) : invoke(x)
    case 'ok':
      return isPreparationCall(x, input[1]) ? storeResult(x, input[1], { ok: input[2] }) : applyDecision(x, input[2])
    case 'err':
      if (isPreparationCall(x, input[1])) return storeResult(x, input[1], { error: objectOf(input[2]) as unknown as FaultData })
      return fail(x, objectOf(input[2]) as unknown as FaultData)
    case 'answer':
      if (x.waits().some(({ id, asker }) => id === input[1] && asker === 'edge')) return applyEdgeAnswer(x, input[2])
      return resumeNode(x, input[1], answerArgs(input[2], input[3]))
    case 'timer':
      return resumeNode(x, input[1], timeoutArgs(x, input[1]))
    case 'ret':
      return resumeAfterCall(x, input)
    case 'host':
      return applyCommand(x, input[1] as unknown as WorkflowCommand)
    default:
      // Strands, messages and progress: a workflow has none that it acts on.
      return undefined
  }
}

function currentNode(x: Step): CompiledNode {
  const node = x.def.nodes.get(nodeAt(x.position) ?? '')
  if (node === undefined) throw new TypeError(`no node ${nodeAt(x.position)}`)
  return node
}

function begin(x: Step): void {
  // Named inputs, or the flat list of writes that `init`, `pushWorkflow` and an input map give. One that does not fit
  // the board fails the frame: the start of a run has checked them, and a caller suspends at its node.
  x.setPlace(x.def.workflow.id)
  if (x.args !== undefined) x.setAccepted(isList(x.args) ? [...x.args] : Object.entries(objectOf(x.args)).flat())
  enter(x, x.def.workflow.entry)
}

/** Enters a node: its call is made in a record of its own, a decision is requested at once (seed workflow 1.4, 3.2). */
function enter(x: Step, id: string): void {
  const node = x.def.nodes.get(id)
  if (node === undefined) throw new TypeError(`no node ${id}`)
  leavePreparation(x)
  x.enter()
  x.go(id)
  if (node.call !== undefined) x.again()
  else x.requestPrepared(node.requests)
}

/** Calls the program of an invoking node. Does nothing if the host has pushed a program or cancelled the frame. */
function invoke(x: Step): void {
  const { call, node } = currentNode(x)
  if (call === undefined || hasReturned(x.position) || x.frame.callee !== undefined || x.frame.cancelReason !== undefined) return
  // Revision 1 read the part before a colon as a kind without asking for a workflow of that very id.
  const program = (x.rev < 2 ? [call.program] : call.programs).find((name) => x.hasProgram(name))
  if (program !== undefined) x.call(program, { map: call.map, ...mappedInputs(x, program, call.inputs) })
  else {
    const name = node.invokes?.workflowId ?? ''
    const fault = runFaults.make('R2055', `Invocation failed: sub-workflow '${name}' is not registered`, {
      path: `${x.def.workflow.id}/${node.id}`,
      fix: `register ${name}, then resume`,
    })
    suspendOn(x, `Sub-workflow '${name}' not found`, faultData(fault))
  }
}

/** Applies the decision of an agent as the port has accepted it: `[edge, writes?, reason?]`, or an object. */
function applyDecision(x: Step, decision: Json): void {
  if (isList(decision)) return advance(x, decision)
  const { complete, suspend, prepare: calls } = objectOf(decision)
  if (calls !== undefined) return prepare(x, objectOf(decision))
  if (complete !== undefined) return finish(x, isList(complete) ? complete : [])
  if (suspend === undefined) return continueAfterEffect(x)
  const { ask, writes, by } = objectOf(decision)
  const refusal = applyWrites(x, currentNode(x), writes)
  if (refusal !== undefined) return fail(x, refusal)
  if (leavePreparation(x)) x.go(plainPosition(x.position))
  const question = objectOf(ask)
  const due = typeof question.due === 'number' ? { due: x.now + question.due } : {}
  x.wait('answer', waitName(x, nodeAt(x.position) ?? ''), {
    ...due,
    about: { reason: suspend ?? null, ...question, ...(by === undefined ? {} : { by }) },
  })
}

/** Names of waits that state the asker at revision 2. A node of such a name gets another name of its wait. */
const RESERVED: ReadonlySet<string> = new Set(['doubt', 'way', ENGINE_ERROR, 'engine:budget', 'engine:price', 'engine:permission'])

/** The wait of a node has the node's id. */
function waitName(x: Step, node: string): string {
  return x.rev === 2 && RESERVED.has(node) ? `node:${node}` : node
}

/**
 * Continues after a person has answered that an effect with unknown outcome happened, without a decision. Follows the only open
 * edge, or asks for the edge: asking the agent again would perform the effect twice.
 */
function continueAfterEffect(x: Step): void {
  const node = currentNode(x)
  if (node.edges.length === 0) return finish(x, [])
  const open = openEdges(x, node)
  const [edge, another] = open
  if (edge !== undefined && another === undefined) advance(x, [edge.id])
  else askEdge(x, node, open)
}

/** The edges whose guards pass; none if a guard fails. */
function openEdges(x: Step, node: CompiledNode): readonly Edge[] {
  const sorted = filterEdges(node.edges, frameReader(x.frame))
  return sorted.ok ? sorted.open : []
}

function askEdge(x: Step, node: CompiledNode, open: readonly Edge[]): void {
  const text = `${node.node.id} happened. ${open.length === 0 ? 'No way on is open' : 'Where does it go on?'}`
  x.wait('answer', 'way', {
    asker: 'edge',
    about: { reason: text, text, options: open.map(({ id, event }) => ({ value: id, label: event })) },
  })
}

function applyEdgeAnswer(x: Step, answer: Json): void {
  const node = currentNode(x)
  const open = openEdges(x, node)
  const edge = open.find(({ id, event }) => id === answer || event === answer)
  if (edge === undefined) askEdge(x, node, open)
  else advance(x, [edge.id])
}

function advance(x: Step, decision: readonly Json[]): void {
  const node = currentNode(x)
  const [chosen, writes] = decision
  const edge = typeof chosen === 'string' ? node.edgeById.get(chosen) : undefined
  let note: JsonObject | undefined
  if (node.edges.length > 1 || edge?.guard !== undefined) {
    const sorted = filterEdges(node.edges, frameReader(x.frame))
    if (!sorted.ok) return fail(x, faultData(guardFault(placeOf(x, node), sorted.edge.id, sorted.error)))
    if (edge === undefined || !sorted.open.includes(edge)) return fail(x, wrongEdge(x, node, chosen))
    const open = sorted.open.map(({ id }) => id)
    note = choiceNote(x, node, edge.id, open)
  }
  if (edge === undefined) return fail(x, wrongEdge(x, node, chosen))
  const refusal = applyWrites(x, node, writes)
  if (refusal !== undefined) return fail(x, refusal)
  if (note !== undefined) x.note(note)
  enter(x, edge.to)
}

/** Returns the note of a choice: its open edges, and the closed edges with the reasons. Traces read it, and replays compare it. */
function choiceNote(x: Step, node: CompiledNode, chosen: string, open: readonly string[]): JsonObject {
  const closed =
    open.length === node.edges.length ? [] : explainClosed(node.edges, frameReader(x.frame)).map(({ edge, why }) => [edge.id, why])
  return { edge: chosen, open, ...(closed.length === 0 ? {} : { closed }) }
}

function wrongEdge(x: Step, node: CompiledNode, chosen: Json | undefined): FaultData {
  return faultData(
    runFaults.make('R2050', `Decision agent chose invalid edge '${textOf(chosen)}'`, {
      path: placeOf(x, node),
      fix: `choose one of ${node.edges.map(({ id }) => id).join(', ') || 'no edge: the node is terminal, complete it'}`,
    }),
  )
}

function finish(x: Step, writes: readonly Json[]): void {
  const node = currentNode(x)
  if (node.edges.length > 0) {
    const fault = runFaults.make('R2054', `Decision agent returned 'complete' at non-terminal node '${node.node.id}'`, {
      path: placeOf(x, node),
    })
    return fail(x, faultData(fault))
  }
  const refusal = applyWrites(x, node, writes)
  if (refusal !== undefined) return fail(x, refusal)
  x.done(outputValues(x, node, writes))
}

/** Returns the result of the run: the declared outputs of its last node, else the values that this node wrote. */
function outputValues(x: Step, node: CompiledNode, writes: readonly Json[]): Json | undefined {
  const declared = node.node.outputs
  const values: Record<string, Json> = {}
  if (declared === undefined) for (let i = 0; i < writes.length; i += 2) setValue(values, writes[i] as string, writes[i + 1])
  else for (const { key } of declared) setValue(values, key, x.get(key))
  return declared === undefined && writes.length === 0 ? undefined : values
}

/** A key may be called `__proto__`. */
function setValue(values: Record<string, Json>, key: string, value: Json | undefined): void {
  if (value === undefined) return
  if (key === '__proto__') Object.defineProperty(values, key, { value, enumerable: true })
  else values[key] = value
}

function fail(x: Step, fault: FaultData): void {
  suspendOn(x, suspensionReason(fault.code, fault.message), fault)
}

/** A value that fits no schema, and answers that their question refuses: the same answer would be refused again. */
const REFUSED: ReadonlySet<string> = new Set(['R2007', 'R4200', 'R4201'])

/**
 * Suspends after a failure (seed workflow 3.4): opens a wait whose answer tries again, with the input of the failed decision. From
 * revision 2, an input that was refused is asked for again.
 */
function suspendOn(x: Step, reason: string, fault: FaultData): void {
  const retry = x.rev >= 2 && REFUSED.has(fault.code) ? undefined : retriedArgs(x.pendingEffects()[0]?.args)
  x.wait('answer', ENGINE_ERROR, {
    asker: 'retry',
    about: { reason, fault: copyJson(fault, 'fault'), ...(retry === undefined ? {} : { retry }) },
  })
}

function answerArgs(value: Json, by: string | undefined): JsonObject {
  return { ...(value === null ? {} : { input: value }), ...(by === undefined ? {} : { by }) }
}

function timeoutArgs(x: Step, id: Ref): JsonObject {
  return { input: aboutOf(x, id).otherwise ?? null, late: 1 }
}

function aboutOf(x: Step, id: Ref): JsonObject {
  return objectOf(x.waits().find((wait) => wait.id === id)?.about)
}

/** Tries again, or gives the answer to the node's agent. */
function resumeNode(x: Step, id: Ref, values: JsonObject): void {
  const node = currentNode(x)
  if (node.call !== undefined && !hasReturned(x.position)) return invoke(x)
  const args = { ...objectOf(aboutOf(x, id).retry), ...values }
  if (Object.keys(args).length === 0) x.requestPrepared(node.requests)
  else x.request(DECIDE, args)
}

/** Continues after a call: requests the decision of the node itself, also after further suspensions (reference workflow C1). */
function resumeAfterCall(x: Step, input: Input & readonly ['ret', ...unknown[]]): void {
  const node = currentNode(x)
  if (input[2] === 'failed') return failAfterCall(x, node, input[3])
  if (input[2] === 'cancelled' && node.call !== undefined && !hasReturned(x.position)) return x.again()
  x.go([node.node.id, 1])
  x.requestPrepared(node.requests)
}

function failAfterCall(x: Step, node: CompiledNode, value: Json | undefined): void {
  const cause = isObject(value) ? (value as unknown as FaultData) : undefined
  const fault = runFaults.make('R2056', `${node.call?.program ?? 'the called program'} failed: ${cause?.message ?? 'no reason given'}`, {
    path: placeOf(x, node),
    ...(cause === undefined ? {} : { cause }),
  })
  fail(x, faultData(fault))
}

function applyCommand(x: Step, command: WorkflowCommand): void {
  const id = nodeAt(x.position) ?? ''
  if ('pop' in command) return x.done()
  if ('interrupt' in command) return interruptDecision(x, command.interrupt)
  if ('unwind' in command) {
    x.go(command.unwind === 'decide' ? [id, 1] : id)
    return x.unwind()
  }
  x.drop(...x.pendingEffects().map((effect) => effect.id), ...x.waits().map((wait) => wait.id))
  x.go([id, 1])
  x.call(programRef(command.push), { map: command.map, args: command.seeds })
}

/** Drops the pending decision, and suspends. Does nothing without one. */
function interruptDecision(x: Step, why: string): void {
  const flights = x.pendingEffects()
  if (flights.length === 0) return
  const fault = runFaults.make('R2059', why, { path: placeOf(x, currentNode(x)) })
  suspendOn(x, why, faultData(fault))
  x.drop(...flights.map((effect) => effect.id))
}
