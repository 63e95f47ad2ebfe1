import { type Frame, hostOf, isObject, type Json, type JsonObject, type State } from '../../../kernel/index.ts'
import { DEFAULT_HOST, type HostFile } from '../adapter/host-file.ts'

/** A source of events that the run reads itself. */
export type EventSource =
  | { readonly from: 'file'; readonly name: string; readonly file: string }
  | { readonly from: 'process'; readonly name: string; readonly command: readonly string[] }
  /** The events of a capture, which an import has taken. */
  | { readonly from: 'capture'; readonly name: string }
  | {
      readonly from: 'timer'
      readonly name: string
      readonly every: number
      readonly semantic_kind: string
      readonly time_field?: string | undefined
    }

/** The facts that a run has from the capture that it was imported from, because nothing else states them. */
export interface ImportedFacts {
  /** The identity of the channels and routes of the run that was captured; absent if it had none. */
  readonly egress?: string
}

/** The arguments with which a run of a graph starts. */
export interface GraphArgs {
  /** True for a graph that takes events until it is told that none follows; otherwise its inputs are one event. */
  readonly stays: boolean
  /** True if time passes for the graph as it does for people: events may leave their time out, and deferred items run by themselves. */
  readonly isLive: boolean
  /** The named inputs: the payload of the one event. */
  readonly input: JsonObject
  /** The values with which the context begins. */
  readonly context: JsonObject
  readonly host: HostFile
  readonly sources: readonly EventSource[]
  /** Absent for a run that was not imported from a capture. */
  readonly imported?: ImportedFacts
}

/** Reads the arguments of a frame: those of Reflex begin with `_`, the others are inputs. */
export function readArgs(args: Json | undefined): GraphArgs {
  const given: JsonObject = isObject(args) ? args : {}
  const { _stays = false, _live = false, _context = {}, _host = DEFAULT_HOST as unknown as Json, _sources = [], _imported } = given
  return {
    stays: _stays === true,
    isLive: _live === true,
    input: Object.fromEntries(Object.entries(given).filter(([key]) => !key.startsWith('_'))),
    context: _context as JsonObject,
    host: _host as unknown as HostFile,
    sources: _sources as unknown as readonly EventSource[],
    ...(_imported === undefined ? {} : { imported: _imported as unknown as ImportedFacts }),
  }
}

/**
 * Returns the arguments of a frame. Those of a graph that another program calls are inputs, whatever their names are: the host of a called graph
 * is what the operator states beside it, and no program can change it.
 */
export function frameArgs(frame: Frame, state: State): GraphArgs {
  return frame.link === undefined ? readArgs(frame.args) : calledArgs(frame.args, hostOf(state, frame.pin))
}

/** Returns the arguments of a graph that another program calls. `host`: what the operator states beside it. */
export function calledArgs(args: Json | undefined, host: Json | undefined): GraphArgs {
  return { ...readArgs(host), input: isObject(args) ? args : {} }
}

/** Writes arguments of Reflex as `readArgs` reads them. */
export function writeArgs({ stays, isLive, context, host, sources, imported }: Partial<Omit<GraphArgs, 'input'>>): JsonObject {
  return {
    ...(stays === true ? { _stays: true } : {}),
    ...(isLive === true ? { _live: true } : {}),
    ...(context === undefined || Object.keys(context).length === 0 ? {} : { _context: context }),
    ...(host === undefined ? {} : { _host: host as unknown as JsonObject }),
    ...(sources === undefined || sources.length === 0 ? {} : { _sources: sources as unknown as Json }),
    ...(imported === undefined ? {} : { _imported: imported as unknown as JsonObject }),
  }
}
