import { defineFaults } from '../kernel/index.ts'

/** The faults of answers and of files of answers (R4200 to R4219). */
export const faults = defineFaults({
  R4200: {
    title: 'The answer is none of the options',
    verdict: 'fail',
    when: 'when a question is answered',
    means: 'The question offers a few answers, and this is none of them. Nothing was recorded; the question is still open.',
    often: 'a misspelling, the answer to another question',
    fix: 'Give one of the options, by its value or its label.',
  },
  R4201: {
    title: 'The answer does not fit the question',
    verdict: 'fail',
    when: 'when a question is answered',
    means: 'The question says what its answer must look like. Nothing was recorded; the question is still open.',
    often: 'a word where a number is asked for, a field that was left out',
    fix: 'Give an answer of the shape that the message names.',
  },
  R4202: {
    title: 'A question cannot be understood',
    verdict: 'fail',
    when: 'when a question is asked or answered',
    means: 'A question has a text and may have options, a JSON Schema of its answer, a time limit and an answer that counts after it.',
    fix: 'Correct the program that asks.',
  },
  R4210: {
    title: 'A file of answers cannot be used',
    verdict: 'fail',
    when: 'before a run',
    means: 'A file of answers is one JSON object: the name of a question, and its answer or a list of answers in their order.',
    often: 'a list at the top, two answers under one name',
    fix: 'Write {"approve": "yes", "review": ["later", "yes"]}.',
  },
})
