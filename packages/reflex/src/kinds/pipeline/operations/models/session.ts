import { isObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { listIn, type SessionService, type ServiceValues, textIn } from './session-values.ts'

/** Classifies the input of the agent: a command, the result of a tool, or a question. A blocked input is always `blocked`. */
export const classify: SessionService = (values) => {
  const input = values.get('session.input')
  const text = renderText(input)
  const isBlocked = isYes(values, 'session.blocked')
  const type = isBlocked
    ? 'blocked'
    : isObject(input) && 'tool_result' in input
      ? 'tool_result'
      : text.startsWith('/')
        ? 'command'
        : 'query'
  return { updates: { 'session.input_type': type } }
}

/** The number of turns between two consolidations of the agent. */
const CONSOLIDATION_PERIOD = 5

/** Selects the mode of the agent: a waiting person comes first, then consolidation, then its goals. */
export const modeSelect: SessionService = (values) => {
  const turn = Math.trunc(Number(textIn(values, 'session.turn_count') || 0))
  const hasGoals = listIn(values, 'session.goals').length > 0
  const hasIntents = listIn(values, 'session.intents').length > 0 || listIn(values, 'session.active_intents').length > 0
  const isConsolidationTurn = turn > 0 && turn % CONSOLIDATION_PERIOD === 0
  const mode = isYes(values, 'session.user_waiting')
    ? 'conversation'
    : isConsolidationTurn
      ? 'consolidation'
      : hasGoals
        ? hasIntents
          ? 'goal_pursuit'
          : 'plan_execution'
        : 'reflection'
  return { updates: { 'session.cognitive_mode': mode } }
}

/** Returns the response of the agent; a refusal if the input is blocked. */
export const format: SessionService = (values) => {
  const isBlocked = isYes(values, 'session.blocked') || textIn(values, 'session.input_type') === 'blocked'
  const reason = textIn(values, 'session.block_reason')
  const text = isBlocked ? `This cannot be answered${reason === '' ? '.' : `: ${reason}`}` : textIn(values, 'llm.content')
  return { updates: { 'session.response': text } }
}

function isYes(values: ServiceValues, key: string): boolean {
  const value = values.get(key)
  return value === true || value === 1 || ['true', '1', 'yes'].includes(renderText(value).trim().toLowerCase())
}
