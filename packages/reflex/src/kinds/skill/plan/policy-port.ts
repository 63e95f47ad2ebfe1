import { type Call, isObject, type Json, type JsonObject, type Port } from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import type { PolicyCheck } from '../control/messages.ts'
import { senderOf } from '../control/sender.ts'
import type { RemoteVerdict, Verdicts } from '../control/verdicts.ts'
import type { PlanProgram } from './compiled-plan.ts'
import { fingerprintOf } from './execution.ts'
import type { SkillHost } from './skill-host.ts'

/**
 * The port `skills.policy`: asks the control plane about an execution that everything here approves. It is told which skill, for whom, with
 * which fingerprint, and never a value. A simulated run asks nobody.
 */
export function policyPort(verdicts: Verdicts | undefined, host: SkillHost): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: () => ({ verdict: 'allow', reason: 'a simulated run asks nobody', cached: false, age_s: 0 }) satisfies RemoteVerdict,
    async perform(call) {
      const { hasEffects, hash } = call.def as PlanProgram
      // A run that another host began, which has a control plane.
      if (verdicts === undefined) return { verdict: 'unavailable', reason: 'this host has no control plane', cached: false, age_s: 0 }
      return verdicts.ask(questionOf(call, host), { hasEffects, key: `${call.key}:${hash}` })
    },
  }
}

function questionOf({ def, args, settings }: Call<RunSettings>, host: SkillHost): PolicyCheck {
  const { manifest, hash } = def as PlanProgram
  const { id, version, signature, effects } = manifest
  const slots = isObject(args) && isObject(args['slots']) ? args['slots'] : {}
  const sensitive = signature.inputs.filter((slot) => slot.sensitive).map(({ name }) => name)
  const open = Object.entries(slots).filter(([name]) => !sensitive.includes(name))
  const { id: principal, roles } = host.principal ?? { id: settings.actor, roles: [] }
  return {
    ...senderOf(host.project),
    env: host.env,
    principal: { id: principal, roles: [...roles] },
    skill: { id, version, content_hash: hash },
    effects: [...effects.writes, ...effects.external],
    args_fingerprint: fingerprintOf(Object.fromEntries<Json>(open) satisfies JsonObject),
    sensitive_args: sensitive.filter((name) => Object.hasOwn(slots, name)),
  }
}
