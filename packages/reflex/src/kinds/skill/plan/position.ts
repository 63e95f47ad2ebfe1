import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { StepOutcome, StopCause } from '../model/plan-result.ts'

/** Where an execution stands (reference skill 1.19). */
export type PlanPhase = 'look' | 'parse' | 'slots' | 'confirm' | 'policy' | 'admit' | 'verify' | 'step' | 'undo' | 'settle'

/** The position of a frame of a skill. */
export interface PlanPosition {
  readonly phase: PlanPhase
  /** The step or the undo that is next or in progress: its place in the plan, or in the list of undos. */
  readonly i: number
  /** Milliseconds since the epoch: when the execution was admitted. */
  readonly at: number
  /** What the meter of the program said then. */
  readonly cost: number
  readonly time: number
  /** The tries of the step that is in progress. */
  readonly tries: number
  /** The steps that have ended, in the order in which they did. */
  readonly ended: readonly (readonly [id: string, outcome: StepOutcome])[]
  /** When the undo in progress began, in milliseconds since the epoch. */
  readonly undoAt?: number
  /** The milliseconds that the undos before it have taken. */
  readonly undoTime?: number
  /** The questions to models that are in flight: their keys by effect. */
  readonly parsing?: Readonly<Record<string, string>>
  /** True once the gate has looked again, with the values that parsers have found. */
  readonly looksAgain?: true
  /** True while a program that a step or an undo has called is being left. */
  readonly isLeaving?: true
  /** Why it stops. */
  readonly cause?: StopCause
  readonly detail?: string
  /** The places of undos that have failed. */
  readonly notUndone?: readonly string[]
  /** The number of undos that were carried out. */
  readonly undone?: number
}

export const BEGINNING: PlanPosition = { phase: 'look', i: 0, at: 0, cost: 0, time: 0, tries: 0, ended: [] }

/** Reads a position; that of a frame that has not begun is the beginning. */
export function readPosition(position: Json | undefined): PlanPosition {
  return isObject(position) ? { ...BEGINNING, ...(position as unknown as PlanPosition) } : BEGINNING
}

/** Returns a position as the frame has it, without what is as at the beginning. */
export function positionJson(position: PlanPosition): JsonObject {
  const entries = Object.entries(position).filter(([key, value]) => {
    const usual = BEGINNING[key as keyof PlanPosition]
    return key === 'phase' || (value !== undefined && value !== usual && !(Array.isArray(value) && value.length === 0))
  })
  return Object.fromEntries<Json>(entries)
}
