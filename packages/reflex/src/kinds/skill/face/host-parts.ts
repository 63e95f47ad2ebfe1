import { givenFunction, type HostParts, partsOf } from '../../../programs/host-parts.ts'
import type { SkillHost } from '../plan/skill-host.ts'
import type { SkillMaker } from '../plan/skill-program.ts'

/**
 * Returns the functions and facts of a host, and those that manifests name. Who may do what (`principal`, `confirm`, the control plane) and
 * the board of a project are decisions of each host, so no run waits for them.
 */
export function skillParts({ functions, facts }: SkillHost, maker: SkillMaker): HostParts {
  return {
    given: () => [...functions.flatMap(({ name }) => givenFunction(name, [])), ...partsOf('fact', Object.keys(facts))],
    named(source) {
      const named = maker.named(source)
      return [...partsOf('function', named.functions), ...partsOf('fact', named.facts)]
    },
  }
}
