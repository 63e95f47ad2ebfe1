import type { KindSubject } from '../../packages/reflex/src/testing/index.ts'
import { SUBJECTS } from '../../packages/reflex/test/kernel/probes/subjects.ts'
import { workflowCases } from './cases.ts'
import { graphSubjects } from './graphs.ts'
import { pipelineSubjects } from './pipelines.ts'
import { drawnMixture } from './mixtures.ts'
import { skillSubjects } from './skills.ts'
import { treeSubjects } from './trees.ts'
import { drawnWorkflow } from './workflows.ts'

/** The subjects that stand in files: the probe kinds of the kernel, and the cases of every kind. A further kind adds its own here. */
export function fixedSubjects(): readonly KindSubject[] {
  return [...SUBJECTS, ...workflowCases(), ...pipelineSubjects(), ...treeSubjects(), ...graphSubjects(), ...skillSubjects()]
}

/** A program drawn from a seed, of either family. */
export function drawnSubject(seed: number): KindSubject {
  return seed % 2 === 0 ? drawnWorkflow(seed) : drawnMixture(seed)
}

/** The subject of a name: one that stands in a file, `workflow-17` or `mixture-17`. */
export function subjectNamed(name: string): KindSubject | undefined {
  const [, family, seed] = /^(workflow|mixture)-(\d+)$/.exec(name) ?? []
  if (family === undefined) return fixedSubjects().find((subject) => subject.name === name)
  return family === 'workflow' ? drawnWorkflow(Number(seed)) : drawnMixture(Number(seed))
}
