"""Machine writing: endpoints and budgets, sources of questions, runs, their results, instructions, cost."""

from django.urls import path

from annotation.generation import api, api_materials
from annotation.generation.views import candidates, costs, endpoints, instructions, materials, new_run, runs

ENDPOINT = "endpoints/<int:endpoint_id>/"
SOURCES = "p/<slug:slug>/materials/"
MACHINE = "p/<slug:slug>/machine/"
RUN = f"{MACHINE}runs/<int:n>/"
API = "api/v1/projects/<slug:slug>/"
API_RUN = f"{API}runs/<int:n>"

urlpatterns = [
    path("endpoints/", endpoints.endpoints, name="endpoints"),
    path("endpoints/new/", endpoints.endpoint, name="endpoint_new"),
    path(ENDPOINT, endpoints.endpoint, name="endpoint"),
    path(f"{ENDPOINT}try/", endpoints.endpoint_trial, name="endpoint_try"),
    path(f"{ENDPOINT}ending/", endpoints.endpoint_ending, name="endpoint_ending"),
    path(f"{MACHINE}limits/", endpoints.machine_limit, name="machine_limit"),
    path(SOURCES, materials.material_list, name="materials"),
    path(f"{SOURCES}concepts/", materials.materials_concepts, name="materials_concepts"),
    path(f"{SOURCES}items/", materials.materials_items, name="materials_items"),
    path(f"{SOURCES}files/", materials.materials_file, name="materials_file"),
    path(f"{SOURCES}files/<int:import_id>/", materials.materials_report, name="materials_report"),
    path("machine/", costs.machine_all, name="machine_all"),
    path("machine/steps.csv", costs.machine_all_csv, name="machine_all_csv"),
    path(MACHINE, runs.machine_page, name="machine"),
    path(f"{MACHINE}runs/new/", new_run.machine_run_new, name="machine_run_new"),
    path(RUN, runs.machine_run, name="machine_run"),
    path(f"{RUN}steps.csv", runs.machine_run_csv, name="machine_run_csv"),
    path(f"{RUN}do/<slug:act>/", runs.machine_run_act, name="machine_run_act"),
    path(f"{RUN}cancel/", runs.machine_run_cancel, name="machine_run_cancel"),
    path(f"{RUN}questions/", candidates.candidates, name="candidates"),
    path(f"{RUN}questions/<int:candidate_id>/", candidates.candidate, name="candidate"),
    path(f"{MACHINE}instructions/", instructions.instructions, name="instructions"),
    path(f"{MACHINE}instructions/<slug:name>/", instructions.instruction, name="instruction"),
    path(f"{MACHINE}cost/", costs.machine_cost, name="machine_cost"),
    path(f"{MACHINE}cost/<slug:table>.csv", costs.machine_cost_csv, name="machine_cost_csv"),
    path("api/v1/endpoints", api.Endpoints.as_view(), name="api_endpoints"),
    path(f"{API}machine", api.Machine.as_view(), name="api_machine"),
    path(f"{API}machine:limit", api.MachineLimitSet.as_view(), name="api_machine_limit"),
    path(f"{API}runs", api.Runs.as_view(), name="api_runs"),
    path(f"{API}runs:estimate", api.RunsEstimate.as_view(), name="api_runs_estimate"),
    path(API_RUN, api.RunView.as_view(), name="api_run"),
    path(f"{API_RUN}/candidates", api.RunCandidates.as_view(), name="api_run_candidates"),
    path(f"{API_RUN}:go-on", api.RunGoOn.as_view(), name="api_run_go_on"),
    path(f"{API_RUN}:pause", api.RunPause.as_view(), name="api_run_pause"),
    path(f"{API_RUN}:resume", api.RunResume.as_view(), name="api_run_resume"),
    path(f"{API_RUN}:cancel", api.RunCancel.as_view(), name="api_run_cancel"),
    path(f"{API}materials", api_materials.Materials.as_view(), name="api_materials"),
    path(
        f"{API}materials:take-concepts",
        api_materials.MaterialsOfConcepts.as_view(),
        name="api_materials_concepts",
    ),
    path(f"{API}materials:take-items", api_materials.MaterialsOfItems.as_view(), name="api_materials_items"),
    path(f"{API}materials:take-file", api_materials.MaterialsOfFile.as_view(), name="api_materials_file"),
    path(f"{API}instructions", api_materials.Instructions.as_view(), name="api_instructions"),
]
