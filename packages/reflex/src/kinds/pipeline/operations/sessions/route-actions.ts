import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { authored, context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { routeActions } from '../models/session-memory.ts'

export const sessionRouteActions = defineOperation({
  name: 'session.route_actions',
  does: 'Passes actions and intents to the agent.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'route_actions' }, injects: { mode: 'session' } }],
  parameters: {
    intent_source: attribute('text', '`intent_store`: routes the waiting intents.'),
  },
  reads: [
    context('session.actions', 'control'),
    context('session.agent_id', 'control'),
    ...session('identity_insights'),
    authored('intent_source'),
  ],
  writes: writes('derived', 'session.actions_routed', 'session.intents_routed'),
  repeat: 'side_effecting',
  needs: () => ['route_actions', 'route_intents', 'apply_identity_insights'].map((op) => uri('memory', op)),
  takesPrompt: true,
  run: serves(routeActions),
})
