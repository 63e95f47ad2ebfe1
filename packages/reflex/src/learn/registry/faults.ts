import { defineFaults } from '../../kernel/index.ts'

const KEEPING = 'when a skill is kept or its state is changed'

/** The catalogue entries of the registry of skills (R1484, R1490 to R1494, R1497, R1499). */
export const faults = defineFaults({
  R1484: {
    title: 'A text is no Agent Skill',
    verdict: 'fail',
    when: 'when a SKILL.md is imported',
    means: 'The file has no name and description between two lines `---` at its beginning, as Agent Skills have them.',
    often: 'another file of the folder, a README',
    fix: 'Name the file SKILL.md of the folder of an Agent Skill.',
  },
  R1490: {
    title: 'A version of a skill cannot be changed',
    verdict: 'fail',
    when: KEEPING,
    rules: ['E_VERSION_IMMUTABLE'],
    means:
      'The registry has this version with another text. Runs that used it could no longer be explained, so a version keeps its text for ever.',
    often: 'a manifest that was edited without a new version',
    fix: 'Give the edited manifest the next version; the message names it.',
  },
  R1491: {
    title: 'A skill cannot change to this state',
    verdict: 'fail',
    when: KEEPING,
    means:
      'A skill is a draft, then valid, then tested, then active; later it is deprecated and evicted. A skill in quarantine needs new passed tests and the approval of a person.',
    often: 'an approval of a version that was never tested, a promotion of a draft',
    fix: 'Take the step that the message names first.',
  },
  R1492: {
    title: 'A skill has not passed its tests',
    verdict: 'fail',
    when: 'when a skill is approved or promoted',
    means: 'Only the tests of exactly this text, by this major version of Reflex, count. There are none, or they have failed.',
    often: 'a manifest that was changed after its tests, an update of Reflex',
    fix: 'Run `reflex skill test ID`.',
  },
  R1493: {
    title: 'There is no such skill',
    verdict: 'fail',
    when: 'when a skill is named',
    means: 'The registry of this project and environment has no skill, or no version, of this name.',
    often: 'a misspelt name, another project or environment than the one in which the skill was kept',
    fix: 'Run `reflex skill list` to see all of them.',
  },
  R1494: {
    title: 'The registry of skills has a newer form',
    verdict: 'fail',
    when: 'when the registry is read',
    means: 'A newer Reflex has written it. This one does not know what its entries mean, so it reads and changes nothing.',
    often: 'two versions of Reflex with one store',
    fix: 'Update Reflex.',
  },
  R1497: {
    title: 'A run has no decision on a skill',
    verdict: 'fail',
    when: 'when somebody asks why a skill was carried out or not',
    means: 'The journal of the run has no decision on a proposal of this skill: nobody proposed it, or the run ended before.',
    often: 'another run was meant, or the model did not propose the skill because it was not in its bulletin',
    fix: 'Run `reflex trace RUN` to see what happened, or `reflex bulletin preview --user TEXT` to see which skills a model is offered.',
  },
  R1499: {
    title: 'A skill of a project hides one of its organisation',
    verdict: 'fail',
    when: 'when the skills of a project are listed or offered',
    rules: ['registry.shadowed'],
    means:
      'Both registries have an active version of this id. Calls of the project get that of the project, and never that of the organisation.',
    often: 'a skill that began in a project and was taken over by the organisation, two teams with the same name for different things',
    fix: 'Take the version of the project out of use, or give one of the two another id.',
  },
})
