import type { JsonObject } from '../kernel/index.ts'

/** The flags of every command. */
export interface CommonFlags {
  readonly store?: string
  readonly json?: boolean
  readonly jsonl?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly ids?: boolean
  /** False after `--no-color`. */
  readonly color?: boolean
}

/** The flags of commands that continue a run. */
export interface ContinueFlags extends CommonFlags {
  readonly answers?: string
  readonly by?: string
  readonly policy?: readonly string[]
  readonly programs?: readonly string[]
  /** A file to which every reply of a model is appended. */
  readonly record?: string
  /** The time without a heartbeat after which another process may take over. */
  readonly lease?: string
  /** True: the workers of the cluster of the store carry runs on. */
  readonly cluster?: boolean
}

export interface RunFlags extends ContinueFlags {
  readonly input?: readonly string[]
  readonly kind?: string
  readonly id?: string
  readonly agent?: readonly string[]
  readonly agentId?: string
  readonly trust?: string
  readonly model?: string
  /** A file of replies that replace every model. */
  readonly recorded?: string
  readonly tools?: readonly string[]
  /** The limits after which the run asks: `usd=2,tokens=100k,time=10m,steps=500`. */
  readonly budget?: string
  readonly simulate?: boolean
  /** The place of the run among those of the cluster. */
  readonly queue?: string
  readonly tenant?: string
  readonly priority?: string
  readonly needs?: readonly string[]
}

/** The flags that choose the form of the output, not its content. */
export const SHAPE_FLAGS: readonly string[] = ['--json', '--jsonl', '--no-color']

/** The form of a command's results. */
export type Shape = 'text' | 'json' | 'jsonl'

export function shapeOf({ json, jsonl }: CommonFlags): Shape {
  return jsonl === true ? 'jsonl' : json === true ? 'json' : 'text'
}

/** A JSON document of the command. */
export type Document = JsonObject & { readonly v: 1 }
