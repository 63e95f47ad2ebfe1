import { defineFaults } from '../kernel/index.ts'

/** The faults of answers and of files of answers (R4200 to R4219). */
export const faults = defineFaults({
  R4200: {
    title: 'The answer is not one of the options',
    verdict: 'fail',
    when: 'when a question is answered',
    means: 'The question offers a few answers, and this is not one of them. Nothing was recorded; the question is still open.',
    often: 'a misspelling, the answer to another question',
    fix: 'Give one of the options, by its value or its label.',
  },
  R4201: {
    title: 'The answer does not fit the question',
    verdict: 'fail',
    when: 'when a question is answered',
    means:
      'The question has a schema for its answer, and the answer does not match it; or the answer or its reason is too long. Nothing was recorded; the question is still open.',
    often: 'a word where a number is asked for, a field that was left out',
    fix: 'Give an answer of the shape that the message names.',
  },
  R4202: {
    title: 'A question is invalid',
    verdict: 'fail',
    when: 'when a question is asked or answered',
    means:
      'A question must have a text, and can have options, a JSON Schema of its answer, a time limit and an answer that counts after it.',
    fix: 'Correct the program that asks.',
  },
  R4210: {
    title: 'A file of answers cannot be used',
    verdict: 'fail',
    when: 'before a run',
    means: 'A file of answers is one JSON object. It maps the name of a question to its answer, or to a list of answers in order.',
    often: 'a list at the top, two answers under one name',
    fix: 'Write {"approve": "yes", "review": ["later", "yes"]}.',
  },
})
