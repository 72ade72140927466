import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Project, projects } from './projects.ts';

/** Files that start most come first, for they take longest: otherwise the last one would run alone for a minute. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(b) - rankOf(a));
  }
}

const rankOf = ({ project }: TestSpecification): number => projects.indexOf(project.name as Project);
