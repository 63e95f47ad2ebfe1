import { FAILURE } from '../manifest/behaviour.ts'
import { defineNode, MANY } from '../manifest/manifest.ts'
import { oneAfterAnother } from './one-after-another.ts'
import { ofSelector } from './outcomes.ts'

export const reactiveSelector = defineNode({
  type: 'reactive_selector',
  role: 'composite',
  children: [1, MANY],
  lua: {
    aliases: ['reactive_fallback'],
    shapes: [['children'], ['children', 'config']],
  },
  xml: { ReactiveFallback: {} },
  parameters: [],
  propagates: 'all',
  outcomes: ofSelector,
  doc: 'A selector that begins at its first child with every tick. A child that was RUNNING is halted when an earlier one no longer fails.',
  example:
    'BT.reactive_selector({ BT.condition("healthy", { condition = "bb.error_rate < 0.01" }), BT.action("repair", { fn = "service.repair" }) })',
  behaviour: oneAfterAnother({ goesOnAfter: FAILURE, isReactive: true }),
})
