import { isObject } from '../../../../kernel/journal/json.ts'
import { renderText } from '../../language/render.ts'
import { listIn, type SessionService, type ServiceValues, textIn } from './session-values.ts'

/** What was said to the agent: a command, the result of a tool, a question; blocked before all of them, whatever it is. */
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

/** How often the agent consolidates, in turns. */
const CONSOLIDATION_PERIOD = 5

/** What the agent should be at: somebody who waits comes first, then order in its head, then its goals. */
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

/** What the agent says; a refusal where what was said to it is blocked. */
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
