import { isList, type JsonObject } from '../../../kernel/index.ts'
import type { Manifest } from '../model/manifest.ts'
import { valueAtBoardPath } from './board-path.ts'

/**
 * Returns how many of the wanted postconditions a skill satisfies that are unmet: paths of the blackboard without a value, and effects that
 * this session has not had (reference skill 1.10). `ctx.goal_postconditions` lists what is wanted; without it, no skill makes progress.
 */
export function progressToGoal(
  { effects }: Pick<Manifest, 'effects'>,
  board: Readonly<Record<string, JsonObject>>,
  done: ReadonlySet<string>,
): number {
  const wanted = valueAtBoardPath(board, 'ctx.goal_postconditions')
  if (!isList(wanted)) return 0
  const made = new Set([...effects.writes, ...effects.external])
  const unmet = wanted.filter((one) => typeof one === 'string' && made.has(one) && isUnmet(one, board, done))
  return new Set(unmet).size
}

function isUnmet(wanted: string, board: Readonly<Record<string, JsonObject>>, done: ReadonlySet<string>): boolean {
  return wanted.startsWith('work.') ? (valueAtBoardPath(board, wanted) ?? null) === null : !done.has(wanted)
}
