import type { JsonObject } from '../kernel/index.ts'

/** Flags that every command has. */
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

/** Flags of commands that carry a run on. */
export interface ContinueFlags extends CommonFlags {
  readonly answers?: string
  readonly by?: string
  readonly policy?: readonly string[]
  readonly programs?: readonly string[]
  /** A file that gets every reply of a model. */
  readonly record?: string
  /** Silence after which another process may take over. */
  readonly lease?: string
}

export interface RunFlags extends ContinueFlags {
  readonly input?: readonly string[]
  readonly kind?: string
  readonly id?: string
  readonly agent?: readonly string[]
  readonly agentId?: string
  readonly trust?: string
  readonly model?: string
  /** A file of replies that stand in for every model. */
  readonly recorded?: string
  readonly tools?: readonly string[]
  /** What it may use before it asks: `usd=2,tokens=100k,time=10m,steps=500`. */
  readonly budget?: string
  readonly simulate?: boolean
  readonly maxSteps?: string
  readonly branchSteps?: string
  readonly onUnroutedFailure?: string
  readonly deadEnd?: string
  readonly persistArtifacts?: boolean
  readonly logs?: string
  readonly hmacSecretFile?: string
  readonly resumeFrom?: string
  readonly force?: boolean
  /** False after `--no-validate`. */
  readonly validate?: boolean
}

/** Flags that say how something is printed, not what. */
export const SHAPE_FLAGS: readonly string[] = ['--json', '--jsonl', '--no-color']

/** Where a command's results go. */
export type Shape = 'text' | 'json' | 'jsonl'

export function shapeOf({ json, jsonl }: CommonFlags): Shape {
  return jsonl === true ? 'jsonl' : json === true ? 'json' : 'text'
}

/** A JSON document of ours. */
export type Document = JsonObject & { readonly v: 1 }
