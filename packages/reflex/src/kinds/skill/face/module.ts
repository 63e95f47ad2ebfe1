import type { LazyKindModule } from '../../../programs/kind-module.ts'
import { faults as bulletinFaults } from '../bulletin/faults.ts'
import { faults as controlFaults } from '../control/faults.ts'
import { faults as gateFaults } from '../gate/faults.ts'
import { manifestFaults } from '../manifest/faults.ts'
import { faults as planFaults } from '../plan/faults.ts'
import type { SkillOptions } from '../plan/skill-host.ts'
import type { SkillProgram } from '../plan/skill-program.ts'
import { faults as protocolFaults } from '../protocol/faults.ts'
import { templateFaults } from '../templates/faults.ts'
import type { SkillDocument } from './define.ts'
import { HOST_OPTIONS } from './host-options.ts'
import { skillNames } from './names.ts'
import { SKILL_RUN_OPTIONS } from './run-options.ts'

/** The kind of skills. */
export const skillModule: LazyKindModule<'skill', SkillOptions, SkillProgram, typeof SKILL_RUN_OPTIONS, SkillDocument> = {
  name: 'skill',
  language: skillNames,
  faults: [manifestFaults, templateFaults, gateFaults, protocolFaults, bulletinFaults, planFaults, controlFaults],
  uses: ['tool', 'model'],
  hasStored: true,
  hostOptions: HOST_OPTIONS,
  runOptions: SKILL_RUN_OPTIONS,
  load: async () => (await import('./body.ts')).skillBody,
}
