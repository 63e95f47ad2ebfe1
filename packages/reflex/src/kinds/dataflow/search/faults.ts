import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

/** The faults of property tests (R1335, R1336). */
export const searchFaults = defineFaults({
  R1335: {
    title: 'A file of conditions cannot be read',
    verdict: 'fail',
    when: 'before a test',
    means:
      'A file of conditions is an object with "conditions": for each name a condition in CEL, or an object with "holds" and "about". Names are not empty.',
    often: 'a list in place of an object',
    fix: 'Write {"conditions": {"one-order": "fired.size() <= 1"}}.',
  },
  R1336: {
    title: 'There is no condition to test',
    verdict: 'fail',
    when: 'before a test',
    means: 'A property test searches events that break a condition, so at least one is needed.',
    fix: "Write --holds 'CONDITION', or a file NAME.test.json beside the graph.",
  },
} satisfies Record<string, CatalogueEntry>)
