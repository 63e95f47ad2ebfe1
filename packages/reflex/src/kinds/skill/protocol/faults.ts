import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const WHEN = 'while a reply of a model is read'

/** The faults of the blocks in which a model proposes skills (R1460 to R1463), which the model gets as results, and of results (R1464). */
export const faults = defineFaults({
  R1460: {
    title: 'A block of the skill protocol is malformed',
    verdict: 'fail',
    severity: 'warning',
    when: WHEN,
    rules: ['skill malformed'],
    means:
      'A block is one tag at the start of a line, one JSON object of at most 8 KiB and 8 levels, and the closing tag at the end of a line. Keys occur once. A block contains no other block. Nothing runs for a malformed block; after two replies with one, blocks are plain text for the rest of the turn.',
    often: 'a reply that was cut off, a trailing comma, a model that writes a result of its own',
    fix: 'Nothing, if the next reply is well-formed. A model that repeats it needs the carrier "tool".',
  },
  R1461: {
    title: 'A proposal stands in a code block',
    verdict: 'fail',
    severity: 'warning',
    when: WHEN,
    rules: ['skill fenced'],
    means:
      'Code blocks hold examples and quotations, so nothing in them runs. The model is asked to repeat the block outside of the fence.',
    fix: 'Nothing, or state fenced: "accept-sole" for a model that always writes a fence and nothing else.',
  },
  R1462: {
    title: 'A reply proposes more skills than are decided at once',
    verdict: 'fail',
    severity: 'warning',
    when: WHEN,
    rules: ['skill too_many'],
    means:
      'A reply may propose one skill unless maxProposalsPerReply says more. Later proposals were written without the result of the first.',
    fix: 'Nothing: the model can propose again. Otherwise raise maxProposalsPerReply.',
  },
  R1463: {
    title: 'A reply asks a question and proposes a skill',
    verdict: 'fail',
    severity: 'warning',
    when: WHEN,
    rules: ['skill clarify_pending'],
    means: 'Information is missing, so the question comes first and the skill does not run.',
    fix: 'Nothing: the model can propose again after the answer.',
  },
  R1464: {
    title: 'A result of a skill was delivered twice',
    verdict: 'bug',
    when: 'while an agent with skills runs',
    rules: ['skill E_RESULT_DUPLICATE'],
    means: 'Every execution has exactly one SKILL_RESULT. A second one would let the model believe that the skill ran twice.',
    fix: 'Report it with the journal of the run: this is a mistake of Reflex.',
  },
} satisfies Record<string, CatalogueEntry>)
