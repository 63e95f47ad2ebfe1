import { Fault, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import {
  assistantMessage,
  faults as modelFaults,
  type FilePart,
  filePartOf,
  type ModelMessage,
  type ModelReply,
  shortResult,
  type ToolCall,
} from '../models/index.ts'
import { type Offer, offerOf, offeredTool, type Tools } from '../tools/index.ts'
import type { PreparationCall, PreparationResult, Preparation, PreparationRound } from '../kinds/workflow/step/preparation.ts'
import type { ValueView } from './lookup.ts'
import { listOf, type ModelSpec } from './spec.ts'
import { evaluate } from './evaluate.ts'

/** The limit of one file in bytes, as for every message of a model. */
const MOST_BYTES = 16_000_000
/** The limit of files of one node, as for every node of a pipeline. */
const MOST_FILES = 20
/** The limit of calls of one turn. A call beyond the limit is answered with an error. */
const MOST_CALLS = 32
const DEFAULT_TURNS = 15

/** The part of a preparation that an agent keeps for a turn of its model: the message, and each call with its problem. */
interface Turn {
  readonly message: ModelMessage
  readonly calls: readonly { readonly id: string; readonly name: string; readonly problem?: string }[]
}

/** The files of a node, or the preparation that reads them. */
type Files = { readonly parts: readonly FilePart[] } | { readonly preparation: Preparation }

/**
 * Returns the files that a node attaches. A text is a path: the tool `file.read` reads it as an effect of the node, under its
 * permission, and it is recorded once. Any other value is the content of a file. Throws the fault of a file that could not be
 * read.
 */
export function attachedFiles({ attach }: ModelSpec, view: ValueView, rounds: readonly PreparationRound[]): Files {
  const values = listOf<Json>(attach as Json).flatMap((value, i) => {
    const found = evaluate(value, view, `attach[${i}]`)
    return isList(found) ? found : [found]
  })
  if (values.length > MOST_FILES)
    throw modelFaults.make('R4028', `the node attaches ${values.length} files; at most ${MOST_FILES} are allowed`, {
      fix: 'attach fewer files',
    })
  const paths = values.filter(isPath)
  const read = rounds.findLast(({ kept }) => isObject(kept) && kept['files'] === paths.length)
  const failed = read?.results.find((result) => 'error' in result)
  if (paths.length > 0 && (read === undefined || (failed !== undefined && read.isRetried === true)))
    return { preparation: fileReads(paths) }
  if (failed !== undefined && 'error' in failed) {
    const { code, message, verdict, ...details } = failed.error
    throw new Fault(code, message, verdict, details)
  }
  const parts = values.map((value, i) => {
    const part = filePartOf(isPath(value) ? contentOf(read?.results[paths.indexOf(value)]) : value)
    if (part !== undefined) return part
    throw modelFaults.make('R4027', `attach[${i}] is neither a path nor the content of a file`, {
      fix: 'write a path, a data: URL, or {"data": base64, "name": "photo.png"}',
    })
  })
  return { parts }
}

function fileReads(paths: readonly string[]): Preparation {
  const calls = paths.map((path): PreparationCall => ({ tool: 'file.read', args: { path, limit: MOST_BYTES, as: 'base64' } }))
  return { type: 'prepare', calls, kept: { files: paths.length } }
}

function contentOf(result: PreparationResult | undefined): Json {
  return result !== undefined && 'ok' in result ? result.ok : null
}

/** True for a path: a text that is not a `data:` URL. */
function isPath(value: Json): value is string {
  return typeof value === 'string' && !value.startsWith('data:')
}

/** Returns the tools that a node offers its model. Throws `R4100` for an unknown tool, and `R4032` for one that no model may call. */
export function offeredTools({ tools: names = [] }: ModelSpec, tools: Tools | undefined): readonly Offer[] {
  return names.map((name) => {
    const tool = (tools && offeredTool(tools, name)) ?? tools?.get(name)
    const offer = tool && offerOf(tool)
    if (offer !== undefined) return offer
    throw notOfferable(name)
  })
}

/** Returns the fault `R4032`: no model may call the tool. */
export function notOfferable(name: string, place: object = {}): Fault {
  return modelFaults.make('R4032', `the tool ${JSON.stringify(name)} cannot be offered to a model: its author writes a required argument`, {
    ...place,
    fix: 'offer a command that the operator has given a name, or a tool of the host',
  })
}

/** Returns the messages of the turns so far: the model's message and the result of each call. */
export function turnMessages(rounds: readonly PreparationRound[]): readonly ModelMessage[] {
  return turnsIn(rounds).flatMap(([turn, results]) => {
    let next = 0
    const replies = turn.calls.map(({ id, name, problem }): ModelMessage => {
      if (problem !== undefined) return { role: 'tool', call: id, name, result: problem, failed: true }
      const result = results[next++]
      if (result === undefined) return { role: 'tool', call: id, name, result: 'there is no result', failed: true }
      return 'ok' in result
        ? { role: 'tool', call: id, name, result: shortResult(result.ok) }
        : { role: 'tool', call: id, name, result: result.error.message, failed: true }
    })
    return [turn.message, ...replies]
  })
}

/** Returns the number of turns of the model so far. */
export function turnCount(rounds: readonly PreparationRound[]): number {
  return turnsIn(rounds).length
}

function turnsIn(rounds: readonly PreparationRound[]): readonly (readonly [Turn, readonly PreparationResult[]])[] {
  return rounds.flatMap(({ kept, results }) =>
    isObject(kept) && kept['turn'] !== undefined ? [[kept['turn'] as unknown as Turn, results] as const] : [],
  )
}

/**
 * Returns the preparation for the calls of a reply: each call becomes an effect of the node. A call is answered with an error if
 * its tool was not offered, if its arguments are not an object, or if it is beyond the 32 calls of a turn. Throws `R4018` after
 * the last turn.
 */
export function nextTurn(spec: ModelSpec, reply: ModelReply, offers: readonly Offer[], rounds: readonly PreparationRound[]): Preparation {
  const { calls = [] } = reply
  const most = spec.maxTurns ?? DEFAULT_TURNS
  if (turnCount(rounds) + 1 >= most) {
    throw modelFaults.make('R4018', `the model called tools in each of its ${most} turns and gave no answer`, {
      data: { turns: most },
      fix: 'raise maxTurns of the node, or correct the tool that the model calls again and again',
    })
  }
  const checked = calls.map((call, i) => ({ call, ...checkCall(call, i, offers) }))
  const needed = checked.flatMap(({ call, offer }): PreparationCall[] =>
    offer === undefined ? [] : [{ tool: offer.tool, args: call.args, by: 'model' }],
  )
  const turn = {
    message: assistantMessage(reply),
    calls: checked.map(({ call: { id, name }, problem }) => ({ id, name, ...(problem === undefined ? {} : { problem }) })),
  }
  return { type: 'prepare', calls: needed, kept: { turn: turn as unknown as JsonObject } }
}

function checkCall(call: ToolCall, place: number, offers: readonly Offer[]): { readonly offer?: Offer; readonly problem?: string } {
  const offer = offers.find(({ name, tool }) => name === call.name || tool === call.name)
  if (offer === undefined) {
    return {
      problem: `there is no tool ${JSON.stringify(call.name)}; the tools are ${offers.map(({ name }) => name).join(', ') || 'none'}`,
    }
  }
  if (call.invalid !== undefined) return { problem: `the arguments of ${call.name} are not a JSON object` }
  return place < MOST_CALLS ? { offer } : { problem: `at most ${MOST_CALLS} calls are allowed at once: call ${call.name} again` }
}

/** Returns the fault `R4033`: the engine performs no preparation. */
export function noPreparation(node: string): Fault {
  return modelFaults.make('R4033', `${node} offers tools or attaches files, but this engine only performs decisions`, {
    path: node,
    fix: 'run the workflow with new Reflex(), or remove "tools" and "attach"',
  })
}
