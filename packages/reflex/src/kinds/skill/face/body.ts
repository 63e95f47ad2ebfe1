import { basename } from 'node:path'
import type { KindBody } from '../../../programs/kind-module.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import { ControlClient } from '../control/client.ts'
import { controlSettings } from '../control/settings.ts'
import { Verdicts } from '../control/verdicts.ts'
import { recordRedaction } from '../plan/contents.ts'
import { confirmPort } from '../plan/confirm-port.ts'
import { skillKind } from '../plan/kind.ts'
import { lookPort } from '../plan/look-port.ts'
import { policyPort } from '../plan/policy-port.ts'
import { ProjectFile } from '../plan/project-file.ts'
import { registryPorts } from '../plan/registry-port.ts'
import { skillHost, type SkillOptions } from '../plan/skill-host.ts'
import { skillParts } from './host-parts.ts'
import { activeSkills, storedSkill } from './stored.ts'
import { SkillMaker, type SkillProgram } from '../plan/skill-program.ts'
import { skillLanguage } from './language.ts'
import { skillReader } from './reader.ts'
import type { SKILL_RUN_OPTIONS } from './run-options.ts'
import { skillTools } from './tools.ts'
import { skillView } from './view.ts'

/** The parts of the kind that skills and their runs need. */
export const skillBody: KindBody<SkillOptions, SkillProgram> = {
  language: skillLanguage,
  view: skillView,
  folder: {
    keep: async () => undefined,
    beginsAt: (_, { draft }: RunOptionValues<typeof SKILL_RUN_OPTIONS>) => (draft === true ? { _draft: true } : {}),
  },
  make(world, options = {}) {
    const host = skillHost(options, basename(world.workdir))
    const file = new ProjectFile(world.workdir)
    const control = controlSettings(options.controlPlane, world.variable)
    const verdicts = control === undefined ? undefined : new Verdicts(new ControlClient(control, world), world.host)
    const maker = new SkillMaker(host, () => skillTools(world.tools, host.tools))
    return {
      kind: skillKind((source) => maker.compile(source), host.logContent === 'none'),
      reader: {
        ...skillReader(maker, world.seal),
        hostParts: skillParts(host, maker),
        stored: (id) => storedSkill(id, world.store, host, maker),
        storedIds: () => activeSkills(world.store, host),
      },
      ports: {
        'skills.look': lookPort(
          { ...world, compiles: (source) => maker.compiles(source), project: () => file.values() },
          host,
          verdicts !== undefined,
        ),
        'skills.confirm': confirmPort(host, recordRedaction(host, world)),
        'skills.policy': policyPort(verdicts, host),
        ...registryPorts(world, host, host.logContent === 'none' ? world.digest : undefined),
      },
    }
  },
}
