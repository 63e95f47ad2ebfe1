// proves: dataflow 44
// proves: dataflow HST-1
// proves: dataflow HST-2
import { describe, expect, it } from 'vitest'
import { effectOwners, realizeEffects } from '../../../../src/kinds/dataflow/adapter/realize-effects.ts'
import type { Effect } from '../../../../src/kinds/dataflow/model/effect.ts'
import type { Tagged } from '../../../../src/kinds/dataflow/model/value.ts'
import { THERMOSTAT } from './thermostat.ts'

const OWNERS = effectOwners(THERMOSTAT, ['heater_command'])
const set = (...writes: readonly (readonly [key: string, value: Tagged])[]): Effect => ({
  kind: 'set_context',
  writes: writes.map(([key, value]) => ({ key, value })),
  intents: [],
})
const intent = { kind: 'heater_command', intent_id: 'eid1:sha256:0', fields: [] }
const command: Effect = { kind: 'heater_command', writes: [], intents: [intent] }

describe('the effects of a pass', () => {
  it('are writes to apply and intents to send, in order', () => {
    const done = realizeEffects(OWNERS, [set(['heater_on', { Bool: true }]), command, set(['heater_on', { Bool: false }])])
    expect(done).toEqual({
      writes: [
        { key: 'heater_on', type: 'Bool', value: true },
        { key: 'heater_on', type: 'Bool', value: false },
      ],
      intents: [intent],
    })
    expect(realizeEffects(OWNERS, [])).toEqual({ writes: [], intents: [] })
  })

  it.each<[rule: string, write: readonly [string, Tagged]]>([
    ['UndeclaredKey', ['heater', { Bool: true }]],
    ['NonWritableKey', ['temp', { Number: 1 }]],
    ['TypeMismatch', ['heater_on', { Number: 1 }]],
    ['InvalidValueConversion', ['heater_on', { Bool: 'yes' } as unknown as Tagged]],
  ])('end at a write that breaks %s; earlier writes stay and later effects are not realized', (rule, write) => {
    const done = realizeEffects(OWNERS, [set(['heater_on', { Bool: true }], write, ['heater_on', { Bool: false }]), command])
    expect(done.writes).toEqual([{ key: 'heater_on', type: 'Bool', value: true }])
    expect(done.intents).toEqual([])
    expect(done.failure).toMatchObject({ code: 'R1359', rule })
  })

  it.each<[rule: string, effect: Effect, owners?: typeof OWNERS]>([
    ['EffectsWithoutAdapter', command, effectOwners(undefined, ['heater_command'])],
    ['UnhandledEffectKind', { ...command, kind: 'other' }],
    ['LifecycleViolation', command, effectOwners(THERMOSTAT, ['heater_command'], ['set_context', 'heater_command'])],
    ['LifecycleViolation', { ...set(), intents: [intent] }],
    ['LifecycleViolation', { ...command, writes: [{ key: 'heater_on', value: { Bool: true } }] }],
    ['LifecycleViolation', { ...command, intents: [] }],
    ['LifecycleViolation', { ...command, intents: [{ ...intent, kind: 'other' }] }],
  ])('end at an effect that breaks %s %#', (rule, effect, owners = OWNERS) => {
    expect(realizeEffects(owners, [effect])).toMatchObject({ writes: [], intents: [], failure: { code: 'R1359', rule } })
  })
})
