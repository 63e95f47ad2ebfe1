import { isList, isObject, type Json } from '../../../kernel/index.ts'
import type { SkillArgs } from './args.ts'
import { boardRoots } from './board-roots.ts'
import type { GateQuestion } from './compiled-plan.ts'

/** The keys that a frame of a skill keeps for itself. */
export const KEYS = {
  look: '~look',
  remote: '~remote',
  unconfirmed: '~unconfirmed',
  confirmed: '~confirmed',
  parsed: '~parsed',
  slots: '~slots',
  admitted: '~admitted',
  outputs: '~outputs',
  decision: '~decision',
  answers: '~answers',
  result: (step: string) => `~step/${step}`,
} as const

/** The name of the fact with what the gate has read out of contents. */
export const GATE = 'gate'

/** Returns everything that the gate decides on. `board`: all values that the frame sees, its own keys included. */
export function gateQuestion(args: SkillArgs, board: Readonly<Record<string, Json>>, isExact: boolean): GateQuestion {
  const look = board[KEYS.look] as unknown as GateQuestion['look']
  const answers = board[KEYS.answers]
  const parsed = board[KEYS.parsed]
  const remote = board[KEYS.remote]
  const confirmed = board[KEYS.confirmed]
  return {
    inputs: { ...args.inputs, ...(isObject(answers) ? answers : {}) },
    proposal: args.proposal,
    look,
    board: boardRoots({ ...look.seed, ...board }),
    parsed: (Array.isArray(parsed) ? parsed : []) as GateQuestion['parsed'],
    isExact,
    ...(isList(confirmed) ? { confirmed: confirmed as readonly string[] } : {}),
    ...(isObject(remote) ? { remote: remote as unknown as NonNullable<GateQuestion['remote']> } : {}),
  }
}
