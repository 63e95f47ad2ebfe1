import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Constraints } from '../model/constraints.ts'

/** Where intents of one kind go. */
export type Route =
  | {
      readonly to: 'process'
      readonly channel: string
      readonly command: readonly string[]
      readonly timeout: number
      readonly keyed: boolean
    }
  | {
      readonly to: 'http'
      readonly channel: string
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly timeout: number
      readonly keyed: boolean
    }
  | { readonly to: 'tool'; readonly channel: string; readonly tool: string; readonly keyed: boolean }
  | { readonly to: 'program'; readonly channel: string; readonly program: string; readonly end?: string | undefined }
  | { readonly to: 'ledger'; readonly channel: string; readonly ledger: string }

/** A source of events. */
export type EventSource =
  | { readonly from: 'file'; readonly name: string; readonly file: string }
  | { readonly from: 'process'; readonly name: string; readonly command: readonly string[] }
  | { readonly from: 'timer'; readonly name: string; readonly every: number; readonly semantic_kind: string; readonly time_field?: string | undefined }

/** What a run of a graph is told when it starts. */
export interface GraphArgs {
  /** True for a graph that takes events until it is told that none follows; otherwise its inputs are one event. */
  readonly stays: boolean
  /** True if time passes for the graph as it does for people: events may leave their time out, and deferred items run by themselves. */
  readonly isLive: boolean
  /** The named inputs: the payload of the one event. */
  readonly input: JsonObject
  /** The values with which the context begins. */
  readonly context: JsonObject
  readonly constraints: Constraints
  readonly routes: Readonly<Record<string, Route>>
  readonly sources: readonly EventSource[]
  readonly onFailure: 'fail' | 'ask'
  /** The ids that the run remembers: those of a window, or all. */
  readonly remembers: 'window' | 'all'
}

const PREFIX = '_'

/** Reads the arguments of a frame: those of Reflex begin with `_`, the others are inputs. */
export function readArgs(args: Json | undefined): GraphArgs {
  const given: JsonObject = isObject(args) ? args : {}
  const own = <T>(name: string, otherwise: T): T => (given[PREFIX + name] ?? otherwise) as unknown as T
  return {
    stays: own('stays', false),
    isLive: own('live', false),
    input: Object.fromEntries(Object.entries(given).filter(([key]) => !key.startsWith(PREFIX))),
    context: own('context', {}),
    constraints: own('constraints', {}),
    routes: own('routes', {}),
    sources: own('sources', []),
    onFailure: own('onFailure', 'fail'),
    remembers: own('remembers', 'window'),
  }
}

/** Writes arguments of Reflex as `readArgs` reads them. */
export function writeArgs(args: Partial<Omit<GraphArgs, 'input'>>): JsonObject {
  return Object.fromEntries(
    Object.entries(args).flatMap(([key, value]) => (value === undefined ? [] : [[PREFIX + (key === 'isLive' ? 'live' : key), value as unknown as Json]])),
  )
}
