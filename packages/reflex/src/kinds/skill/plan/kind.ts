import type { Json, Kind } from '../../../kernel/index.ts'
import type { PlanProgram } from './compiled-plan.ts'
import { PLAIN_SKILL } from './plain.ts'
import { type PlanPhase, readPosition } from './position.ts'
import { stepSkill } from './step.ts'
import { callAt } from './undos.ts'

/** The phases before the first step. */
const BEFORE: readonly PlanPhase[] = ['look', 'parse', 'slots', 'confirm', 'policy', 'admit', 'verify']

/** Makes the kind of skills. `compile` reads a stored manifest with the tools and functions of the host. `hidesContents`: runs keep no contents. */
export function skillKind<Def extends PlanProgram>(compile: (source: Json) => Def, hidesContents = false): Kind<Def> {
  return {
    name: 'skill',
    rev: 1,
    board: { isReserved: '~' },
    cancels: true,
    compile,
    calls: ({ steps, verify, undos }) =>
      [...steps, ...(verify === undefined ? [] : [verify]), ...undos].flatMap(({ tool, isProgram }) => (isProgram ? [tool] : [])),
    isClosing: (_, position) => ['undo', 'settle'].includes(readPosition(position).phase),
    isInternal: (key) => key.startsWith('~'),
    node(program, position) {
      const at = readPosition(position)
      return BEFORE.includes(at.phase) ? 'gate' : callAt(program, at)?.id
    },
    step: stepSkill,
    plain: PLAIN_SKILL,
    hidesContents,
  }
}
