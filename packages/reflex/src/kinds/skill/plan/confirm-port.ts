import { type Call, isObject, type Port, type Redactor } from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { readArgs } from './args.ts'
import type { PlanProgram } from './compiled-plan.ts'
import { effectsOf } from './confirmation.ts'
import type { ConfirmationRequest, SkillHost } from './skill-host.ts'
import { withoutSecrets } from './without-secrets.ts'

/**
 * The port `skills.confirm`: asks the function of the host whether a proposed execution may be carried out. Its answer is recorded, so a
 * replay does not ask; after a crash before that it is asked again. Its failure is recorded without secrets, and confirms nothing. A simulated
 * run changes nothing, so it is confirmed.
 */
export function confirmPort({ confirm }: Pick<SkillHost, 'confirm'>, redact: Redactor): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: () => true,
    // Without a function: the run was begun by a process whose host has one.
    perform: withoutSecrets(async (call) => (await confirm?.(requestOf(call))) === true, redact),
  }
}

function requestOf({ def, args, frame }: Call<RunSettings>): ConfirmationRequest {
  const { manifest } = def as PlanProgram
  const { inputs } = isObject(args) ? args : {}
  return {
    skill: manifest.id,
    version: manifest.version,
    inputs: isObject(inputs) ? inputs : {},
    effects: effectsOf(manifest),
    user: readArgs(frame.args).proposal.userText ?? '',
  }
}
