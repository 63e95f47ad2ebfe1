import type { Frame, Json, Program, ReturnPair } from '../../../kernel/index.ts'
import { checkInputs } from '../model/board-schemas/inputs.ts'
import { type CompiledWorkflow, nodeAt } from '../model/compile.ts'
import { stoppedResult } from './session-steps.ts'
import { EngineError } from '../step/engine-error.ts'
import type { WorkflowCommand } from '../step/kind.ts'
import { isBlocked, type Session } from './session.ts'
import { describeValue } from '../../../text/index.ts'
import { frameAtDepth, invocationOf, stackFrame } from '../step/stack.ts'
import type { PushWorkflowOptions, StackFrame, StepResult, UnwindEvent, UnwindOptions } from '../types/index.ts'

/** Calls a workflow from the node at which the session stands (reference workflow 13). */
export function push(session: Session, { name, def }: Program, { inputMap = [], returnMap = [] }: PushWorkflowOptions): StepResult {
  const { board } = session
  const seeds = inputMap.flatMap(({ from, to }): [string, Json][] => (board.has(from) ? [[to, board.get(from) as Json]] : []))
  checkInputs(def as CompiledWorkflow, seeds)
  const map = returnMap.map(({ parentKey, childKey }): ReturnPair => [parentKey, childKey])
  return sendCommand(session, session.top, { push: name, seeds: seeds.flat(), map })
}

/** Returns from the active workflow, at any node (reference workflow 13). */
export function pop(session: Session): StepResult {
  if (session.top.link === undefined) throw new EngineError('popWorkflow() called with empty stack — nothing to pop')
  return sendCommand(session, session.top, { pop: 1 })
}

/** Discards the callees above a depth (reference workflow 14). */
export function unwind(session: Session, depth: number, { reinvoke = false }: UnwindOptions): void {
  const { top } = session
  if (!Number.isInteger(depth) || depth < 0 || depth > top.depth) {
    throw new EngineError(
      `unwindToDepth(${typeof depth === 'object' ? describeValue(depth) : String(depth)}) out of range — valid range is 0..${top.depth}`,
    )
  }
  if (depth === top.depth) return
  const target = frameAtDepth(top, depth)
  const discarded = activations(top, depth)
  const discardedFrames = discarded.map((frame) => discardedFrame(session, frame, top))
  const invalidatedIds = session.tree.invalidate(discarded.flatMap((frame) => invocationOf(frame, session.run.id) ?? []))
  if (invalidatedIds.length > 0) {
    session.emit({
      event: 'execution:invalidate',
      payload: Object.freeze({ invalidatedIds: Object.freeze(invalidatedIds) }),
      view: session.viewOf(top),
    })
  }
  sendCommand(session, target, { unwind: reinvoke ? 'reinvoke' : 'decide' })
  session.emit({
    event: 'stack:unwind',
    payload: Object.freeze({ discardedFrames: Object.freeze(discardedFrames), ...restoredPosition(session, target, depth, reinvoke) }),
    view: session.viewOf(target),
  })
}

/** Returns the active frame and its callers down to the one above a depth. */
function activations(top: Frame, depth: number): Frame[] {
  const frames: Frame[] = []
  for (let at: Frame | undefined = top; at !== undefined && at.depth > depth; at = at.link?.caller) frames.push(at)
  return frames
}

function discardedFrame({ names, run }: Session, frame: Frame, top: Frame): StackFrame {
  const callee = frameAtDepth(top, frame.depth + 1)
  return stackFrame(frame, callee === frame ? [] : (callee.link?.map ?? []), names, run.id)
}

function restoredPosition(session: Session, target: Frame, targetDepth: number, reinvoke: boolean): Omit<UnwindEvent, 'discardedFrames'> {
  const { workflow, nodes } = session.compiled(target)
  const node = nodes.get(nodeAt(target.position) ?? '')?.node
  if (node === undefined) throw new TypeError(`no node at depth ${targetDepth}`)
  return { targetDepth, restoredWorkflow: workflow, restoredNode: node, reinvoke }
}

/** Sends a command of the host to the kernel, which executes it at once because nothing else is under way. */
function sendCommand(session: Session, frame: Frame, command: WorkflowCommand): StepResult {
  const { run } = session
  run.block(isBlocked)
  session.watch()
  session.outcome = undefined
  // Only a run that has ended refuses a command, and the engine has checked that.
  run.command(frame.id, command).catch(() => undefined)
  return session.outcome ?? stoppedResult(session)
}
