import type { Json, Kind } from '../../../kernel/index.ts'
import type { TurnSource } from '../model/turn.ts'
import { PLAIN_TURN } from './plain.ts'
import { stepTurn } from './step.ts'

/** The kind of turns: each run is one turn of a wrapped agent, and the agent's own code drives it (design skill 1). */
export const turnKind: Kind<TurnSource> = {
  name: 'turn',
  rev: 1,
  board: { isReserved: '~' },
  ports: () => ['wrap.model'],
  compile: (source: Json) => source as unknown as TurnSource,
  isInternal: (key) => key.startsWith('~'),
  step: stepTurn,
  plain: PLAIN_TURN,
}
